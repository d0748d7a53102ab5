"""The exam of `DecoderBlock`, lesson 09, in its parts."""

from solutions.exams.transformer.decoder_block import accepted, misconceptions
from solutions.exams.transformer.decoder_block.exam import decoder

__all__ = ["accepted", "decoder", "misconceptions"]
