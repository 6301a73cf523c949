// The page that compares the papers: it only switches between light and dark.
import { themeButton } from "./theme.js";

themeButton();
