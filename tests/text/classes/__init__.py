"""Tests of the tokenizer and the labels."""
