"""What is shown, as arrays and states; holds no widget."""
