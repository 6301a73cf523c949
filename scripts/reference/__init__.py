"""The models of softalign in PyTorch, written from their equations."""
