"""The exams of lesson 07, in its order."""

from solutions.exams.grouped_query_attention.shared_heads_by_hand import by_hand
from solutions.exams.grouped_query_attention.repeat_kv import repeating
from solutions.exams.grouped_query_attention.multi_query_attention import single
from solutions.exams.grouped_query_attention.grouped_query_attention import grouped
from solutions.exams.grouped_query_attention.mean_pool_heads import pooling
from solutions.exams.grouped_query_attention.decoding_mask import mask
from solutions.exams.grouped_query_attention.kv_cache import cache
from solutions.exams.grouped_query_attention.decode_step import step
from solutions.exams.grouped_query_attention.is_cache_exact import exact
from solutions.exams.grouped_query_attention.repaired_window_attention import window
from solutions.exams.grouped_query_attention.kv_cache_bytes import size
from solutions.exams.grouped_query_attention.bytes_read_per_token import read
import solutions.exams.grouped_query_attention._published
