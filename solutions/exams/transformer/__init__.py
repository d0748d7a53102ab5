"""The exams of lesson 09, in its order."""

from solutions.exams.transformer.rms_norm import rms
from solutions.exams.transformer.norms_by_hand import worksheet
from solutions.exams.transformer.layer_norm import norm
from solutions.exams.transformer.feed_forward import fed
from solutions.exams.transformer.gpt_block import gpt
from solutions.exams.transformer.repaired_residual_stream import repaired
from solutions.exams.transformer.encoder_block import encoder
from solutions.exams.transformer.decoder_block import decoder
from solutions.exams.transformer.learn_merges import merging
from solutions.exams.transformer.encode import cutting
from solutions.exams.transformer.is_lossless import lossless
from solutions.exams.transformer.next_token_loss import loss
from solutions.exams.transformer.generate import generating
from solutions.exams.transformer.next_token_distribution import distribution
from solutions.exams.transformer.softmax_with_sink import sinks
import solutions.exams.transformer._published_blocks
import solutions.exams.transformer._published_text
