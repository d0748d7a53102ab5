"""What the companion offers, and where each of it is: `from companion import …` finds it."""

from .drawing.figure import (
    show as show,
)
from .functions import (
    fit_by_sgd as fit_by_sgd,
)
from .functions import (
    softmax as softmax,
)
from .inputs.creature import (
    FLUFFY_CREATURE as FLUFFY_CREATURE,
)
from .inputs.creature import (
    designed_map as designed_map,
)
from .inputs.creature import (
    what_nouns_look_at as what_nouns_look_at,
)
from .inputs.features import (
    FOUR_FEATURES as FOUR_FEATURES,
)
from .inputs.sentences import (
    HELLO_SHINY_SUN as HELLO_SHINY_SUN,
)
from .inputs.sentences import (
    YOUR_JOURNEY as YOUR_JOURNEY,
)
from .inputs.sentences import (
    Sentence as Sentence,
)
from .inputs.translation import (
    EXAMPLE as EXAMPLE,
)
from .inputs.translation import (
    chained_pairs as chained_pairs,
)
from .inputs.translation import (
    held_out_pairs as held_out_pairs,
)
from .inputs.translation import (
    training_pairs as training_pairs,
)
from .inputs.typed import (
    TOPICS as TOPICS,
)
from .inputs.typed import (
    known_words as known_words,
)
from .inputs.typed import (
    typed_sentence as typed_sentence,
)
from .models.coin_flips import (
    learn_coin_flips as learn_coin_flips,
)
from .models.decode_speed import (
    milliseconds_per_token as milliseconds_per_token,
)
from .models.decoding import (
    plain_cell as plain_cell,
)
from .models.decoding import (
    plain_score as plain_score,
)
from .models.generation import (
    CountTokens as CountTokens,
)
from .models.generation import (
    GroupedHeads as GroupedHeads,
)
from .models.generation import (
    JoinedCache as JoinedCache,
)
from .models.heads import (
    CausalHead as CausalHead,
)
from .models.heads import (
    CausalHeads as CausalHeads,
)
from .models.heads import (
    PlainHead as PlainHead,
)
from .models.heads import (
    learned_weights as learned_weights,
)
from .models.heads import (
    library_heads as library_heads,
)
from .models.heads import (
    weights_of as weights_of,
)
from .models.order import (
    learn_who_was_last as learn_who_was_last,
)
from .models.positions import (
    rope as rope,
)
from .models.positions import (
    sinusoids as sinusoids,
)
from .models.recall import (
    learn_two_lookups as learn_two_lookups,
)
from .models.shared_head_training import (
    convert_and_train as convert_and_train,
)
from .models.shared_head_training import (
    train_multi_head as train_multi_head,
)
from .models.training import (
    progress as progress,
)
from .models.training import (
    train_translator as train_translator,
)
from .models.training import (
    translation_batches as translation_batches,
)
from .models.translator import (
    accuracy_by_length as accuracy_by_length,
)
from .models.translator import (
    load_translator as load_translator,
)
from .models.trying import (
    BahdanauAttention as BahdanauAttention,
)
from .models.trying import (
    translator_through as translator_through,
)
from .pictures.arcs import (
    arcs as arcs,
)
from .pictures.attention_view import (
    attention_view as attention_view,
)
from .pictures.bars import (
    bars as bars,
)
from .pictures.cache_buffer import (
    cache_buffer as cache_buffer,
)
from .pictures.clocks import (
    clocks as clocks,
)
from .pictures.head_sharing import (
    head_sharing as head_sharing,
)
from .pictures.heatmap import (
    heatmap as heatmap,
)
from .pictures.heatmap import (
    heatmaps as heatmaps,
)
from .pictures.lines import (
    lines as lines,
)
from .pictures.outlines import (
    LETTER as LETTER,
)
from .pictures.outlines import (
    outlines as outlines,
)
from .pictures.stage import (
    stage as stage,
)
from .pictures.template import (
    template as template,
)
from .pictures.translating import (
    decoder_orders as decoder_orders,
)
from .pictures.translating import (
    encoder_decoder as encoder_decoder,
)
from .pictures.vectors import (
    arrows as arrows,
)
from .pictures.vectors import (
    mixture as mixture,
)
from .pictures.vectors import (
    word_map as word_map,
)
from .reader.model import (
    load_reader as load_reader,
)
from .shapes.cross import (
    two_sequences as two_sequences,
)
from .shapes.flow import (
    attention_flow as attention_flow,
)
from .shapes.heads_line import (
    heads_line as heads_line,
)
from .shapes.product import (
    row_times_column as row_times_column,
)
from .shapes.split import (
    two_splits as two_splits,
)
from .specimens.cached_steps import (
    Past as Past,
)
from .specimens.cached_steps import (
    Step as Step,
)
from .specimens.cached_steps import (
    attends_to_its_cache as attends_to_its_cache,
)
from .specimens.cached_steps import (
    cancelling_features as cancelling_features,
)
from .specimens.cached_steps import (
    cancelling_tokens as cancelling_tokens,
)
from .specimens.cached_steps import (
    doubles_each_token as doubles_each_token,
)
from .specimens.cached_steps import (
    first_text_only as first_text_only,
)
from .specimens.cached_steps import (
    keeps_the_last_chunk as keeps_the_last_chunk,
)
from .specimens.cached_steps import (
    keeps_three_of_a_chunk as keeps_three_of_a_chunk,
)
from .specimens.cached_steps import (
    largest_of_its_chunk as largest_of_its_chunk,
)
from .specimens.cached_steps import (
    last_text_only as last_text_only,
)
from .specimens.cached_steps import (
    mask_from_the_start as mask_from_the_start,
)
from .specimens.cached_steps import (
    no_mask_in_the_chunk as no_mask_in_the_chunk,
)
from .specimens.cached_steps import (
    only_itself as only_itself,
)
from .specimens.cached_steps import (
    pads_odd_chunks as pads_odd_chunks,
)
from .specimens.cached_steps import (
    recomputes_everything as recomputes_everything,
)
from .specimens.cached_steps import (
    rounds_its_cache as rounds_its_cache,
)
from .specimens.cached_steps import (
    running_average as running_average,
)
from .specimens.cached_steps import (
    sees_its_chunk_only as sees_its_chunk_only,
)
from .specimens.cached_steps import (
    shortcut_for_one as shortcut_for_one,
)
from .specimens.cached_steps import (
    smallest_of_its_chunk as smallest_of_its_chunk,
)
from .specimens.cached_steps import (
    trims_before_attending as trims_before_attending,
)
from .specimens.causal_specimens import (
    average_by_subtraction as average_by_subtraction,
)
from .specimens.causal_specimens import (
    average_so_far as average_so_far,
)
from .specimens.causal_specimens import (
    causal_attention as causal_attention,
)
from .specimens.causal_specimens import (
    causal_map as causal_map,
)
from .specimens.causal_specimens import (
    first_sees_second as first_sees_second,
)
from .specimens.causal_specimens import (
    future_cancels_out as future_cancels_out,
)
from .specimens.causal_specimens import (
    hides_a_little as hides_a_little,
)
from .specimens.causal_specimens import (
    hides_after_softmax as hides_after_softmax,
)
from .specimens.causal_specimens import (
    keeps_each_word as keeps_each_word,
)
from .specimens.causal_specimens import (
    leaks_by_one as leaks_by_one,
)
from .specimens.causal_specimens import (
    leaks_faintly as leaks_faintly,
)
from .specimens.causal_specimens import (
    leaks_when_long as leaks_when_long,
)
from .specimens.causal_specimens import (
    lowered_by_the_future as lowered_by_the_future,
)
from .specimens.causal_specimens import (
    masks_first_sentence as masks_first_sentence,
)
from .specimens.causal_specimens import (
    masks_last_sentence as masks_last_sentence,
)
from .specimens.causal_specimens import (
    one_feature_leaks as one_feature_leaks,
)
from .specimens.causal_specimens import (
    raised_by_the_future as raised_by_the_future,
)
from .specimens.causal_specimens import (
    reads_from_the_end as reads_from_the_end,
)
from .specimens.causal_specimens import (
    second_sees_last as second_sees_last,
)
from .specimens.causal_specimens import (
    second_sees_third as second_sees_third,
)
from .specimens.causal_specimens import (
    sees_everything as sees_everything,
)
from .specimens.causal_specimens import (
    softmax_over_queries as softmax_over_queries,
)
from .specimens.causal_specimens import (
    word_before as word_before,
)
from .specimens.language_models import (
    adds_up as adds_up,
)
from .specimens.language_models import (
    alternates as alternates,
)
from .specimens.language_models import (
    counts_on as counts_on,
)
from .specimens.language_models import (
    counts_what_it_sees as counts_what_it_sees,
)
from .specimens.language_models import (
    has_five_positions as has_five_positions,
)
from .specimens.padding import (
    average_less_padding as average_less_padding,
)
from .specimens.padding import (
    average_of_everything as average_of_everything,
)
from .specimens.padding import (
    average_of_words as average_of_words,
)
from .specimens.padding import (
    centred_attention as centred_attention,
)
from .specimens.padding import (
    faint_attention as faint_attention,
)
from .specimens.padding import (
    first_length_for_all as first_length_for_all,
)
from .specimens.padding import (
    last_length_for_all as last_length_for_all,
)
from .specimens.padding import (
    last_place_too as last_place_too,
)
from .specimens.padding import (
    masked_attention as masked_attention,
)
from .specimens.padding import (
    misreported_weights as misreported_weights,
)
from .specimens.padding import (
    one_too_far as one_too_far,
)
from .specimens.padding import (
    raised_attention as raised_attention,
)
from .specimens.padding import (
    unmasked_attention as unmasked_attention,
)
from .specimens.padding import (
    zeroed_padding as zeroed_padding,
)
from .specimens.padding_specimens import (
    blind_attention as blind_attention,
)
from .specimens.padding_specimens import (
    blind_average as blind_average,
)
from .specimens.padding_specimens import (
    blind_maximum as blind_maximum,
)
from .specimens.padding_specimens import (
    cancelling_leak as cancelling_leak,
)
from .specimens.padding_specimens import (
    count_real_keys as count_real_keys,
)
from .specimens.padding_specimens import (
    faint_leak as faint_leak,
)
from .specimens.padding_specimens import (
    fainter_leak as fainter_leak,
)
from .specimens.padding_specimens import (
    first_is_forgotten as first_is_forgotten,
)
from .specimens.padding_specimens import (
    first_key_only as first_key_only,
)
from .specimens.padding_specimens import (
    first_mask_for_all as first_mask_for_all,
)
from .specimens.padding_specimens import (
    inverted_mask as inverted_mask,
)
from .specimens.padding_specimens import (
    last_feature_leaks as last_feature_leaks,
)
from .specimens.padding_specimens import (
    last_is_forgotten as last_is_forgotten,
)
from .specimens.padding_specimens import (
    leave_queries_alone as leave_queries_alone,
)
from .specimens.padding_specimens import (
    lowered_by_padding as lowered_by_padding,
)
from .specimens.padding_specimens import (
    masked_afterwards as masked_afterwards,
)
from .specimens.padding_specimens import (
    no_padding_mask as no_padding_mask,
)
from .specimens.padding_specimens import (
    zeroed_scores as zeroed_scores,
)
from .specimens.position_scores import (
    alibi_scores as alibi_scores,
)
from .specimens.position_scores import (
    drifting as drifting,
)
from .specimens.position_scores import (
    every_second as every_second,
)
from .specimens.position_scores import (
    far_gets_louder as far_gets_louder,
)
from .specimens.position_scores import (
    first_is_special as first_is_special,
)
from .specimens.position_scores import (
    first_query_added as first_query_added,
)
from .specimens.position_scores import (
    gains_and_losses as gains_and_losses,
)
from .specimens.position_scores import (
    going_round as going_round,
)
from .specimens.position_scores import (
    last_key_added as last_key_added,
)
from .specimens.position_scores import (
    last_query_added as last_query_added,
)
from .specimens.position_scores import (
    no_positions as no_positions,
)
from .specimens.position_scores import (
    rope_mispaired as rope_mispaired,
)
from .specimens.position_scores import (
    rope_on_queries_only as rope_on_queries_only,
)
from .specimens.position_scores import (
    rope_restarted as rope_restarted,
)
from .specimens.position_scores import (
    rope_scores as rope_scores,
)
from .specimens.position_scores import (
    rope_wrapped as rope_wrapped,
)
from .specimens.position_scores import (
    sinusoids_added as sinusoids_added,
)
from .specimens.position_scores import (
    sinusoids_alone as sinusoids_alone,
)
from .specimens.position_scores import (
    slower_far_out as slower_far_out,
)
from .specimens.predictors import (
    ends_in_training as ends_in_training,
)
from .specimens.predictors import (
    never_switches as never_switches,
)
from .specimens.predictors import (
    restores_the_mode as restores_the_mode,
)
from .specimens.predictors import (
    restores_training as restores_training,
)
from .specimens.predictors import (
    stays_in_evaluation as stays_in_evaluation,
)
from .specimens.predictors import (
    switches_once as switches_once,
)
from .specimens.specimens import (
    attention_map as attention_map,
)
from .specimens.specimens import (
    attention_with_a_slip as attention_with_a_slip,
)
from .specimens.specimens import (
    attention_with_an_echo as attention_with_an_echo,
)
from .specimens.specimens import (
    attention_with_positions as attention_with_positions,
)
from .specimens.specimens import (
    copy_first_word as copy_first_word,
)
from .specimens.specimens import (
    leave_as_is as leave_as_is,
)
from .specimens.specimens import (
    plain_attention as plain_attention,
)
from .specimens.specimens import (
    reversed_attention as reversed_attention,
)
from .specimens.specimens import (
    shares as shares,
)
from .specimens.specimens import (
    torch_softmax as torch_softmax,
)
from .specimens.tokenizers import (
    backwards as backwards,
)
from .specimens.tokenizers import (
    code_points as code_points,
)
from .specimens.tokenizers import (
    composed as composed,
)
from .specimens.tokenizers import (
    each_once as each_once,
)
from .specimens.tokenizers import (
    first_twenty as first_twenty,
)
from .specimens.tokenizers import (
    from_a_short_table as from_a_short_table,
)
from .specimens.tokenizers import (
    from_all_but_the_last as from_all_but_the_last,
)
from .specimens.tokenizers import (
    from_backwards as from_backwards,
)
from .specimens.tokenizers import (
    from_code_points as from_code_points,
)
from .specimens.tokenizers import (
    from_code_points_shouting as from_code_points_shouting,
)
from .specimens.tokenizers import (
    from_code_points_with_a_space as from_code_points_with_a_space,
)
from .specimens.tokenizers import (
    from_run_lengths as from_run_lengths,
)
from .specimens.tokenizers import (
    from_utf8_bytes as from_utf8_bytes,
)
from .specimens.tokenizers import (
    in_order as in_order,
)
from .specimens.tokenizers import (
    known_letters as known_letters,
)
from .specimens.tokenizers import (
    latin_letters as latin_letters,
)
from .specimens.tokenizers import (
    question_marks as question_marks,
)
from .specimens.tokenizers import (
    run_lengths as run_lengths,
)
from .specimens.tokenizers import (
    single_spaces as single_spaces,
)
from .specimens.tokenizers import (
    sixteen_bits as sixteen_bits,
)
from .specimens.tokenizers import (
    small_letters as small_letters,
)
from .specimens.tokenizers import (
    utf8_bytes as utf8_bytes,
)
from .specimens.tokenizers import (
    without_accents as without_accents,
)
from .specimens.tokenizers import (
    without_lines as without_lines,
)
from .specimens.tokenizers import (
    without_outer_spaces as without_outer_spaces,
)
from .specimens.tokenizers import (
    without_repeats as without_repeats,
)
from .specimens.tokenizers import (
    without_strangers as without_strangers,
)
from .specimens.tokenizers import (
    without_the_last as without_the_last,
)
from .specimens.triples import (
    attention_of_either_sign as attention_of_either_sign,
)
from .specimens.triples import (
    attention_over_queries as attention_over_queries,
)
from .specimens.triples import (
    attention_with_a_lapse as attention_with_a_lapse,
)
from .specimens.triples import (
    average_attention as average_attention,
)
from .specimens.triples import (
    cosine_attention as cosine_attention,
)
from .specimens.triples import (
    distance_attention as distance_attention,
)
from .specimens.triples import (
    scaled_attention as scaled_attention,
)
from .specimens.triples import (
    shares_attention as shares_attention,
)
from .specimens.triples import (
    swapped_attention as swapped_attention,
)
from .specimens.triples import (
    unscaled_attention as unscaled_attention,
)
from .transformer.blocks import (
    LibraryDecoder as LibraryDecoder,
)
from .transformer.blocks import (
    LibraryEncoder as LibraryEncoder,
)
from .transformer.blocks import (
    LibraryGPTBlock as LibraryGPTBlock,
)
from .transformer.depth import (
    gradients_by_depth as gradients_by_depth,
)
from .transformer.depth import (
    train_stack as train_stack,
)
from .transformer.drawing import (
    block_wiring as block_wiring,
)
from .transformer.drawing import (
    next_word_line as next_word_line,
)
from .transformer.stations import (
    stations_of as stations_of,
)
from .transformer.translator import (
    load_transformer_translator as load_transformer_translator,
)
from .trials.cache_trial import (
    Chunk as Chunk,
)
from .trials.cache_trial import (
    try_cache as try_cache,
)
from .trials.dropout_trial import (
    try_dropout as try_dropout,
)
from .trials.language_trial import (
    try_loss as try_loss,
)
from .trials.position_trials import (
    try_encoding as try_encoding,
)
from .trials.position_trials import (
    try_learned as try_learned,
)
from .trials.position_trials import (
    try_module as try_module,
)
from .trials.position_trials import (
    try_turn as try_turn,
)
from .trials.scatter import (
    measure_twice as measure_twice,
)
from .trials.stream_trial import (
    try_stream as try_stream,
)
from .trials.training_trials import (
    try_fit as try_fit,
)
from .trials.training_trials import (
    try_gradient as try_gradient,
)
from .trials.training_trials import (
    try_mode_test as try_mode_test,
)
from .trials.training_trials import (
    try_predict as try_predict,
)
from .writing.pieces import (
    merge_pair as merge_pair,
)
from .writing.writing import (
    cut_softmax as cut_softmax,
)
from .writing.writing import (
    frequent_pairs as frequent_pairs,
)
from .writing.writing import (
    merged_pieces as merged_pieces,
)
from .writing.writing import (
    shifted_cross_entropy as shifted_cross_entropy,
)
