"""From files of weights to tensors to modules, with limits against damaged and hostile files."""
