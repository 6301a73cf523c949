// What changed between the papers: nothing but light and dark.
import { themeButton } from "./theme.js";

themeButton();
