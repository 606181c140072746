# The one table of statistics: what each is called, its unit, which way is good, and how it is compared.

#' A row per statistic, most of them columns of the summary: `statistic`, `title` (words within a sentence),
#' `short` (heading of a column or a panel), `unit`, `better` (which way is good), and of those that are compared
#' `effect` (ratio; difference where 0 is a usual value).
all_statistics <- fread(
  "statistic;                            title;                                                 short;                               unit;  better; effect
   throughput_per_s;                     throughput;                                            Throughput;                          1/s;   higher; ratio
   latency_mean_ms;                      mean latency;                                          Mean;                                ms;    lower;  ratio
   latency_p50_ms;                       median latency;                                        p50;                                 ms;    lower;  ratio
   latency_p99_ms;                       99th percentile of latency;                            p99;                                 ms;    lower;  ratio
   cpu_us_per_request;                   CPU time per request;                                  CPU per request;                     µs;    lower;  ratio
   threads_peak;                         peak number of threads;                                Threads, peak;                       ;      lower;  ratio
   rss_mib;                              resident memory;                                       Memory;                              MiB;   lower;  ratio
   machine_context_switches_per_request; context switches of the machine per request;           Switches of the machine per request; ;      lower;  ratio
   backend_cpu_us_per_request;           CPU time of pooler or backend per request;             Backend CPU per request;             µs;    lower;  ratio
   generator_cpu_us_per_request;         CPU time of the client per request;                    Client CPU per request;              µs;    lower;  ratio
   capacity_per_s;                       capacity at the objective;                             Capacity;                            1/s;   higher; ratio
   error_share;                          share of failed requests;                              Failed;                              share; lower;  difference
   latency_p90_ms;                       90th percentile of latency;                            p90;                                 ms;    lower;
   latency_p95_ms;                       95th percentile of latency;                            p95;                                 ms;    lower;
   latency_p99_9_ms;                     99.9th percentile of latency;                          p99.9;                               ms;    lower;
   latency_mixed_in_p50_ms;              median latency of the requests mixed in;               p50, mixed in;                       ms;    lower;
   latency_mixed_in_p99_ms;              99th percentile of latency of the requests mixed in;   p99, mixed in;                       ms;    lower;
   latency_min_ms;                       shortest latency;                                      Minimum;                             ms;    lower;
   latency_max_ms;                       longest latency;                                       Maximum;                             ms;    lower;
   latency_sd_ms;                        standard deviation of latency;                         Standard deviation;                  ms;    lower;
   requests;                             requests;                                              Requests;                            ;      ;
   error_percent;                        share of failed requests;                              Errors;                              %;     lower;
   throughput_all_per_s;                 throughput, failed requests counted;                   Answers;                             1/s;   higher;
   received_kib_per_s;                   KB/s received;                                         Received;                            KB/s;  ;
   sent_kib_per_s;                       KB/s sent;                                             Sent;                                KB/s;  ;
   under_way;                            requests under way;                                    Under way;                           ;      ;
   survived;                             share of servers that answered to the last;            Survived;                            ;      higher;
   rss_peak_mib;                         resident memory at the peak;                           Memory, peak;                        MiB;   ;
   rss_idle_mib;                         resident memory after the first answer;                Memory, idle;                        MiB;   ;
   first_answer_s;                       time to the first answer;                              First answer;                        s;     ;
   gc_pause_ms;                          pauses of the garbage collector;                       GC pauses;                           ms;    ;
   pool_wait_mean_ms;                    mean wait for a connection;                            Wait for a connection;               ms;    ;
   accept_queue_peak;                    connections not yet accepted at the peak;              Not yet accepted, peak;              ;      ;
   listen_overflows;                     overflows of the listen queue;                         Overflows;                           ;      ;
   retransmits;                          retransmits;                                           Retransmits;                         ;      ;
   cpu;                                  CPU time;                                              CPU time;                            µs;    ;
   rss_bytes;                            resident memory;                                       Memory;                              bytes; ;
   heap_bytes;                           live heap;                                             Heap;                                bytes; ;",
  sep = ";", quote = "", na.strings = NULL, encoding = "UTF-8"
)

#' How each compared statistic is estimated: `counts` (the slices that count, see counts_for(): offered, completed, latency;
#' process and sweep have no slices), `weight` (of a slice's value in that of several; percentiles are of merged
#' histograms) and `margin` (within it two values are the same for an engineer's choice: a factor, or a difference).
estimands <- fread(
  "statistic,                            counts,    weight,            margin
   throughput_per_s,                     offered,   duration_s,        1.05
   error_share,                          offered,   requests_recorded, 0.01
   cpu_us_per_request,                   completed, answers,           1.1
   machine_context_switches_per_request, completed, requests_recorded, 1.1
   backend_cpu_us_per_request,           completed, answers,           1.1
   generator_cpu_us_per_request,         completed, answers,           1.1
   latency_mean_ms,                      latency,   requests_recorded, 1.1
   latency_p50_ms,                       latency,   requests_recorded, 1.1
   latency_p99_ms,                       latency,   requests_recorded, 1.25
   threads_peak,                         process,   ,                  1.05
   rss_mib,                              process,   ,                  1.05
   capacity_per_s,                       sweep,     ,                  1.05"
)

#' The statistics in which modes are compared.
compared_statistics <- all_statistics[effect %in% c("ratio", "difference")][estimands, on = "statistic"]

#' @export
about_statistics <- function(ids) all_statistics[match(ids, statistic)]

#' Statistics in words; a column that the table does not have goes by its name.
#' @export
title_of <- function(ids) fcoalesce(about_statistics(ids)$title, gsub("_", " ", ids))

#' Their units; empty for none.
#' @export
unit_of_statistic <- function(ids) fcoalesce(about_statistics(ids)$unit, "")

# Estimates on the scale on which they are compared: ratios are logarithms.
on_scale <- function(estimates, effect) fifelse(effect == "ratio", suppressWarnings(log(estimates)), estimates)

# The sign of a bound in words, see bound_words().
sign_of_bound <- function(words) fcase(words == "at_least", 1, words == "at_most", -1, default = 0)

latency_points <- c(p50 = 0.5, p90 = 0.9, p95 = 0.95, p99 = 0.99, p99_9 = 0.999)

#' How finely a tool measures latency: to so many ms, or to a share of the value.
resolution_of <- function(tool) {
  list(
    ms = c(jmeter = 1)[tool] %|% 0.001,
    # sysbench's histogram has 1,024 logarithmic steps over eight decades.
    share = c(sysbench = 0.018)[tool] %|% 0
  )
}

`%|%` <- function(values, otherwise) unname(fifelse(is.na(values), otherwise, values))

percentile_of <- c(latency_p50_ms = 0.5, latency_p90_ms = 0.9, latency_p99_ms = 0.99, latency_p99_9_ms = 0.999)

#' A latency, and a ratio of what a disturbance spoils, takes so many rounds that count, where so many were loaded: in fewer an interval says
#' nothing.
#' @export
rounds_needed_of_both <- 3

# Tools that load at rates of their own, and are judged load by load.
sweep_tool <- "sweep"
overload_tool <- "overload"

# Sweeps have tables of their own: a step at a share of a mode's capacity is not pooled with the loads that a tier
# fixes, nor compared with them.
is_sweep <- function(paths) basename(dirname(dirname(paths))) == sweep_tool
