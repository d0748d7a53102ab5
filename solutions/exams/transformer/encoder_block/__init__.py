"""The exam of `EncoderBlock`, lesson 09, in its parts."""

from solutions.exams.transformer.encoder_block import accepted, misconceptions
from solutions.exams.transformer.encoder_block.exam import encoder

__all__ = ["accepted", "encoder", "misconceptions"]
