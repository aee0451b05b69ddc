"""One engine for many people: what each step of serving is worth, under closed and open load, in one run.

    python -m benchmarks.serving --data DIR [--users 50] [--requests 100] [--seed N] [--stages 0,1,2,3,4]
                                 [--extras open,overhead,repeats,neighbour,cancel] [--skip NAMES] [--engine NAME]
                                 [--quick] [--json FILE]

The same list of requests is answered at every stage: pictures of the evaluation sets as people upload them, by turns a
slide, a table or chart cut out of a page, and a page; every tenth one is a PDF page at 300 dpi saved as PNG, as
scanners deliver. 30 % ask again for one of those asked for before.
All parts are read. ``users`` threads each ask for the next picture when they have their last answer (closed loop);
a latency runs from the first attempt to the answer, retries included.

stage 0  an engine built, loaded and closed for each request, at most 4 at once, first come first served
stage 1  one resident engine, called by each user's thread for itself
stage 2  + jobs, the gate, and calls that lines of all pages share
stage 3  + pages reduced as far as their letters allow
stage 4  + the cache, empty at the start

Extras, after the stages: ``open`` (arrivals at random at 1.5 times the throughput of stage 3, refused ones do not come
again), ``overhead`` (what gate, batcher and a miss of the cache add to a page on an idle system), ``repeats`` (known
pages asked again), ``neighbour`` (one page while another owner has 200 queued), ``cancel`` (until the engine is idle).

``--quick``: the smallest pictures, of at most 0.4 Mpx, 8 users, 16 requests a stage of which 5 repeat, stages 0, 1, 3
and 4, an open loop of 10 s; no other extra unless named.

``--json`` writes flat name → number. K is the number of a stage; ``_s`` are seconds, ``_ms`` milliseconds:

- ``throughput_K`` (answers a second), ``p50_K`` and ``p95_K`` (seconds), ``cpu_seconds_K`` (of the processor, which a
  busy machine disturbs less), ``errors_K``, ``refusals_K``, ``same_text_K`` (mean share of the words of a picture that
  are the same as in stage 1, or else in the first stage run);
- ``throughput_ratio`` (stage 4 over 0), ``cpu_ratio`` (processor time, stage 0 over 4), ``stage3_over_1``,
  ``steps_ok`` (1: no stage below the one before), ``p95_reduction`` (1 - p95 of stage 4 / p95 of stage 0),
  ``same_text`` (the least of the stages'), ``errors`` (all that was not answered and not refused, open loop included);
- ``repeat_ms`` (median, known bytes with the same question, in process);
- ``goodput`` (answers a second of the open loop as a share of stage 3's throughput), ``arrivals``, ``refusals``,
  ``open_p50_s`` and ``open_p95_s`` (of the admitted, from when they were due), ``refusal_p95_ms``,
  ``refusal_max_ms``, ``refusals_without_hint``, ``open_lag_p95_ms`` (how late the benchmark itself was);
- ``overhead_ms`` and ``overhead_share`` (medians over the pages, of what is added and of that over the bare time);
- ``new_question_ms``, ``repeat_job_ms``, ``new_question_job_ms`` (medians; known page with another question, and both
  through jobs);
- ``neighbour_idle_s``, ``neighbour_page_s`` (a page of the other owner, alone), ``neighbour_loaded_s`` (medians of
  three), ``neighbour_worst_s``, ``neighbour_ratio`` (loaded over idle), ``neighbour_of_bar`` (loaded over twice idle
  plus a page), ``neighbour_left`` (of the 200, not yet read at the end);
- ``cancel_s`` (worst of five) and ``cancel_median_s``;
- ``requests``, ``distinct``, ``users``, ``wall_s`` (of the whole run).

Needs nothing beyond the package itself.
"""
