# The columns of the page's tables, in words. Statistics have theirs in the analysis (title_of).

#' A row per column that is no statistic: `name` (of a column, or the heading that is printed; `file:name` where a file means
#' something of its own), `words`.
column_words <- fread(
  "name;                           words
   study;                          study that the row belongs to
   mode;                           concurrency model that was measured
   baseline;                       mode that the row's mode is compared with
   tier;                           kind and level of load
   tier title;                     load in words
   tool;                           load generator: jmeter (closed loop), wrk2 (open loop), sweep (load curve), sysbench, database-client
   repetition;                     session, a set of new processes
   valid;                          whether the harness did what it says, so that the values count
   latency_valid;                  whether the latency counts, too
   outcome;                        completed, or how the server failed
   outcome_reason;                 what was seen when the server failed
   failed_checks;                  validity checks that the cell fails
   errors;                         failed requests by kind
   bound_throughput;               whether the throughput is a bound (at_least, at_most), and not a value
   bound_latency;                  whether the latency is a bound (at_least, at_most), and not a value
   offered_per_s;                  rate at which an open loop's requests are due
   users;                          users of a closed loop
   connections;                    connections of an open loop
   requests;                       requests that were recorded
   threads_started;                threads that the server started during the load
   collections;                    garbage collections in the windows that count
   full_collections;               collections of the whole heap in the windows that count
   pinned;                         times that a virtual thread kept its carrier while it waited
   pinned_ms;                      time that virtual threads kept their carriers while they waited, in ms
   counted_requests;               requests that the server itself counted
   compiler_share;                 share of the JIT compiler in the server's CPU time
   generator_cpu_share;            share of its CPUs that the generator used
   latency_uncorrected_p99_ms;     99th percentile of latency from when requests were sent, not from when they were due, in ms
   round;                          turn in which each mode is loaded once
   kind;                           plain, or loaded with the profiler
   reason;                         why there is no value, or the rule that excludes it
   others_cpu_share;               share of the server's CPUs that processes outside the session used
   steal_share;                    share of all CPUs that the hypervisor gave to others
   server_steal_share;             share of the server's CPUs that the hypervisor gave to others
   server_cpus;                    CPUs that the server has
   idle_neighbors_share;           share of the server's CPUs that the idle servers used beyond their idle cost
   bound_by;                       what the bound is of: users, what the mode admits, or the CPUs
   admitted;                       requests that the mode serves concurrently
   wait_ms;                        time that a request waits for others by design, in ms
   bound_per_s;                    throughput that the bound allows
   mva_per_s;                      throughput by mean value analysis
   measured_per_s;                 measured throughput, median over the sessions that count
   share_percent;                  measured throughput by its bound
   objective_ms;                   99th percentile that the capacity keeps, in ms
   bound_capacity;                 whether the capacity is a bound (at_least, at_most), and not a value
   why_bounded;                    why it is a bound
   within_per_s;                   highest rate that keeps the objective
   beyond_per_s;                   lowest rate that does not
   calibrated_per_s;               capacity that the calibration estimated, which chose the rates
   out_of_memory;                  whether the server ran out of memory
   step;                           place of the rate on the load curve
   sessions;                       sessions that have the value
   rate_per_s;                     rate that is offered
   saturated;                      whether the server fell behind at the rate
   group;                          group of stacks
   samples;                        samples of the profiler
   bytes_per_request;              bytes that a request allocates
   error_bytes;                    standard error of sampling, in bytes
   thread_pool_size;               threads in the database's pool (0: as the server has it)
   connection_pool_size;           connections in the client's pool (0: a new one each time)
   middle;                         geometric mean over sessions, transactions a second
   spread;                         noise of one value, as a factor
   combinations.csv:share;         throughput by that of the best combination
   among_best;                     whether the combination cannot be distinguished from the best
   statistic;                      what is compared
   unit;                           unit of the values
   baseline_value;                 value of the baseline
   mode_value;                     value of the mode
   estimate;                       mode's value by the baseline's, or for shares the difference
   low;                            lower end of the 95 % interval (of a bound: the least that the ratio can be)
   high;                           upper end of the 95 % interval (of a bound: the most that the ratio can be)
   fcr_low;                        lower end, widened for the selection of what is reported
   fcr_high;                       upper end, widened for the selection of what is reported
   estimate_all;                   the same with the slices that a rule excludes
   bound;                          whether the ratio is a bound: at least, or at most, so many times
   verdict;                        verdict on a primary comparison: higher, lower, same, fixed, undecided, not comparable
   p_adjusted;                     p-value, adjusted for all primary comparisons
   pairs;                          sessions that have both sides
   rounds;                         rounds that have both sides
   baseline_collections;           garbage collections of the baseline
   mode_collections;               garbage collections of the mode
   baseline_gc_share;              share of time that the baseline spent in collections
   mode_gc_share;                  share of time that the mode spent in collections
   baseline_tool;                  load generator of the baseline's side
   baseline_kind;                  kind of slices of the baseline's side
   situation;                      situation of the guide
   standing;                       whether the mode is better than the baseline, worse, the same or open
   lacks;                          what would decide the comparison: rounds, sessions, or more than both
   rounds_needed;                  rounds of a session by itself that would decide it
   sessions_needed;                sessions that would decide it, where rounds alone do not
   minutes;                        minutes that these take
   starts;                         whether the study's requests start a process, a thread or a connection
   hosts;                          hosts that have the comparison
   centre_elsewhere;               mean over hosts
   low_elsewhere;                  lower end of the 95 % range on another host
   high_elsewhere;                 upper end of the 95 % range on another host
   between_hosts;                  standard deviation between hosts, of the metric and class
   host;                           CPU and id of the machine
   comparisons;                    comparisons of the host that others have, too
   held;                           of these, those that lie in the range of the other hosts
   score;                          standard errors within which 95 % of them lie
   finding;                        finding that names the pair
   pair;                           which of the finding's pairs
   bound_ratio;                    ratio of the bounds of both sides
   findings.csv:expected;          outcomes of the pair with which the finding holds (empty: it only gives values)
   holds;                          whether the finding holds in this run
   rival;                          another explanation of the finding
   swap;                           what is swapped to tell
   excluded_by;                    outcomes of the pair that the rival cannot have
   state;                          excluded, left, not measured, or excluded by another run
   long_share;                     share of long requests
   times_capacity;                 highest share of the capacity that an overload offers
   cpu_ms;                         CPU time that a request's path asks for, in ms
   mode_admitted;                  requests that the mode serves concurrently
   baseline_admitted;              requests that the baseline serves concurrently
   mode_carriers;                  carriers of the mode
   baseline_carriers;              carriers of the baseline
   mode_heap_mib;                  heap of the mode, in MiB
   baseline_heap_mib;              heap of the baseline, in MiB
   waiting;                        users that wait in the handler: asleep, or for a remote or a query
   connection;                     users that wait for a connection of the pool, where the server counts that
   cpu;                            users that are on a CPU or ready for one, the time of the client included
   not_admitted;                   users that wait for a thread, a permit, a connection or a carrier
   comparison;                     comparison that the row belongs to
   collector;                      garbage collector
   heap_mib;                       largest size of the heap, in MiB
   heaps.csv:kind;                 concurrency model of the mode
   heap-per-request.csv:kind;      concurrency model of the mode
   counted;                        sessions that count
   survived;                       share of sessions after which the server answers
   gc_share;                       share of time in the collector's pauses
   heap-per-request.csv:cells;     cells whose collections are in the slope
   heap-per-request.csv:collections;  collections that are in the slope
   most_in_flight;                 most requests in flight at a collection
   kib_per_request;                heap that a request in flight holds, in KiB
   base_mib;                       heap in use without a request, in MiB
   part;                           part of the cost, or one of the two sides
   us;                             CPU time per request, in µs
   better;                         direction that is good
   effect;                         ratio, or difference
   within;                         standard error of one session by its rounds
   df_within;                      its degrees of freedom
   noise;                          standard deviation of the effect of one session, by its rounds and by what new processes add
   df;                             degrees of freedom
   least;                          smallest error that the count allows
   p_value;                        p-value of no difference, not adjusted
   equivalence_p_value;            p-value of a difference as large as the margin
   fixed;                          whether the load fixes the value on both sides
   cpu_limited;                    whether both servers used up their CPUs in a closed loop, so that CPU times are compared at the CPU's limit
   primary;                        whether the comparison is a primary one
   rules_version;                  version of the rules that judged
   id;                             cause, see causes.yaml
   causes.csv:kind;                dose or swap
   does;                           what is varied
   over;                           sessions, or the rounds of one
   counter;                        counter that is read on both sides
   before;                         effect before the swap, or throughput at the lowest dose
   after;                          effect after the swap, or throughput at the highest dose
   causes.csv:share;               share of the effect that goes, or slope of the logarithms
   units;                          sessions or rounds that have the values
   before_mode;                    mode before the swap
   after_mode;                     mode after the swap
   before_baseline;                baseline before the swap
   after_baseline;                 baseline after the swap
   counted_before_mode;            counter of the mode before the swap
   counted_after_mode;             counter of the mode after the swap
   counted_before_baseline;        counter of the baseline before the swap
   counted_after_baseline;         counter of the baseline after the swap
   law_least;                      least share that the law allows
   law_most;                       largest share that the law allows
   cause;                          cause, see causes.yaml
   mode_us;                        CPU time per request on the side of the mode, in µs
   baseline_us;                    CPU time per request on the side of the baseline, in µs
   more_us;                        difference of both, in µs
   reach_us;                       half of its interval, in µs
   beyond;                         whether the difference lies beyond its interval
   variant;                        analysis that judges the finding again, with one choice changed
   what;                           slices or cells
   rule;                           rule that excludes them
   rules-by-side.csv:study;        study that the row belongs to (all: over all comparisons, each slice once)
   mode_lost;                      slices or cells of the mode that the rule excludes
   mode_count;                     slices or cells of the mode in rounds or sessions that have both sides
   baseline_lost;                  slices or cells of the baseline that the rule excludes
   baseline_count;                 slices or cells of the baseline in the same rounds or sessions
   rules-by-side.csv:p_value;      chance of so unequal losses if the rule is blind to the mode
   rules-by-side.csv:p_adjusted;   the same, adjusted for all comparisons of the rule, or for all rules (empty: so few losses cannot show it)
   unequal;                        whether the rule takes from one side beyond chance, of a comparison more than twice as many
   control;                        known difference that was put in
   true_low;                       least that the true ratio can be
   true_high;                      most that the true ratio can be
   found;                          whether the interval holds the true ratio, and not 1
   exponent;                       exponent of the speed probe's time
   usual_us;                       usual time of the probe, in µs
   slices;                         slices that the law is fitted to
   cells;                          cells that the law is fitted to
   spread_measured;                spread of CPU time per request as measured
   spread_usual;                   spread of CPU time per request at the usual speed
   here;                           value of this run
   there;                          value of the shipped run
   change;                         value of this run by that of the shipped one, or for shares the difference
   expected;                       value that is seen here in 95 of 100 cases where nothing has changed
   sessions_here;                  sessions of this run
   sessions_there;                 sessions of the shipped run
   verdict_here;                   verdict of this run
   verdict_there;                  verdict of the shipped run
   beyond_p_value;                 p-value of a change within the margin, not adjusted
   beyond_p_adjusted;              the same, adjusted
   equivalence_p_adjusted;         p-value of a difference as large as the margin, adjusted
   session;                        session, a set of new processes
   slice;                          load of one server within a session
   before_ms;                      99th percentile before the overload, in ms
   in_time_before;                 share answered in time before the overload
   in_time_during;                 share answered in time during the overload
   in_time_after;                  share answered in time after the overload
   back_s;                         seconds after the overload until the 99th percentile was back (∞: not within the load)
   second;                         second of the load in which the requests were due
   overload-seconds.csv:share;     offered load, as a share of the capacity
   due;                            requests that were due
   right;                          requests that were answered right, at any time
   in_time;                        requests that were answered right within the objective
   p50_ms;                         median of latency, in ms
   p99_ms;                         99th percentile of latency, in ms
   mixes.csv:cpus;                 CPUs of the server
   mixes.csv:share;                share of long requests
   short_ms;                       CPU time of a short request, in ms
   long_ms;                        CPU time of a long request, in ms
   at_a_time;                      requests that share the CPU at most
   stated_utilization;             share of the CPU that the paths ask for
   utilization;                    share of the CPU that was used
   predicted_p50_ms;               predicted median of the short requests, in ms
   predicted_p99_ms;               predicted 99th percentile of the short requests, in ms
   predicted_long_p50_ms;          predicted median of the long requests, in ms
   measured_p50_ms;                measured median of the short requests, in ms
   measured_p99_ms;                measured 99th percentile of the short requests, in ms
   measured_long_p50_ms;           measured median of the long requests, in ms
   steps;                          offered load as a share of the capacity, by the seconds that it lasts
   predicted_in_time;              share in time by a fluid model, with heap enough
   most_in_time;                   share in time that no order of service exceeds
   refused;                        requests that were refused
   answered_after_s;               seconds after the load until the server answers (empty: not within 10 s)
   full_collections_after;         collections of the whole heap since the load
   Mode;                           concurrency model that was measured
   Baseline;                       mode that the row's mode is compared with
   Class;                          Java class of the mode
   Command;                        command of a user-supplied server
   JDK;                            Java runtime, where a mode names one
   Backend;                        remote or database that requests call
   Options;                        settings of the server
   JVM's own;                      options of the mode's JVM that not all modes of the table have
   Database;                       database engine
   Client;                         settings of the database's client
   Tier;                           kind and level of load
   Load;                           load in words
   Path;                           path that is requested
   Closed loop;                    users of the closed loop
   Open loop;                      rate and connections of the open loop
   Start (s);                      time from the start of the process until its port listens
   First answer (s);               time from the start of the process to its first answer
   Time to peak (s);               time from the first load until the compiler is idle and requests get no cheaper
   Idle CPU (%);                   share of a CPU that the server uses at rest
   Idle memory (MiB);              resident memory after the first answer
   Idle threads;                   threads of the server at rest
   KiB a request;                  what a request allocates, with its 95 % interval
   Most by;                        groups of stacks that allocate most, with their shares
   Event;                          event of JFR
   Events;                         events that were recorded
   Per request;                    events per request
   ms a request;                   time in events per request
   ms, mean;                       mean time of an event
   ms, longest;                    longest time of an event
   Group;                          group of threads
   Peak jvm;                       most threads of the group at a time, as the JVM counts them
   Peak kernel;                    most threads of the group at a time, as the kernel counts them
   Running jvm;                    threads that the JVM has as RUNNABLE, mean
   Running kernel;                 threads that run or are free to run on a CPU, mean
   Study;                          study that the row belongs to
   Server;                         server as the source names it
   Value;                          value
   Theirs;                         value that the source printed
   Ours;                           value of this run
   Metric;                         what is compared
   Values;                         values of the baseline and of the mode
   GC;                             share of time in collections, and their number, of the baseline and of the mode
   Ratio;                          mode's value by the baseline's, with its interval
   Verdict;                        verdict on the primary comparison
   Statistic;                      what is measured or compared
   Mean;                           geometric mean
   Low;                            lower end of the 95 % interval
   High;                           upper end of the 95 % interval
   Repetitions;                    repetitions that were pooled
   Reason;                         why there is no value
   Kind;                           kind of thread
   Threads;                        threads that wait
   Resident (KiB);                 resident memory per thread
   Heap (KiB);                     live heap per thread
   Stack, reserved (KiB);          address space of stacks per thread
   Stack, committed (KiB);         memory of stacks per thread
   Slices;                         slices without the profiler
   Kept;                           slices that count for latency
   Repeated;                       slices that were measured again
   Excluded: compiler;             excluded because the JIT compiler worked
   Excluded: disturbed;            excluded because other processes or the hypervisor took the CPUs
   Excluded: speed (sweeps);       excluded because the CPUs were slower than usual, in load sweeps
   Excluded: neighbors not idle;   excluded because the idle servers were not idle
   Excluded: generator at its limit;  excluded because the generator had no CPU time, descriptors or ports left
   Excluded: not completed;        excluded because the slice did not complete
   Excluded: stopped by a quota;   excluded because a quota stopped the server
   Sessions;                       sessions
   Warm-up (s);                    time of the warm-up
   Load (s);                       time of loads
   Between slices (s);             time between slices
   Restart (s);                    time of restarts
   Stop (s);                       time of stopping
   Other (s);                      time that no phase has
   All (s);                        time of whole sessions
   Load (%);                       share of loads in the time
   kept (s);                       time of slices that count
   record (s);                     time of recording
   calibration (s);                time of calibrating load curves
   profiled (s);                   time of profiled slices
   Compiler idle;                  sessions in which the compiler was idle when the warm-up ended
   Compiler at its end (% of a CPU);  use of a CPU by the compiler when the warm-up ended
   Compiler in windows, median (%);   share of the compiler in the server's CPU time, median over cells
   At most (%);                    the same, largest of all cells
   Second / first;                 ratio of the mode under its second name to itself, with its interval
   Off (%);                        how far the ratio is from 1
   p at most 5 %;                  whether a difference is found at 5 %
   Rounds;                         rounds of a session
   Design;                         other rules that the simulation tries
   Coverage (%);                   intervals that hold the known ratio
   None given (%);                 comparisons without an interval, since it spans too much
   ± (%);                          half of the median interval
   False (%);                      differences that are found at 5 % where there is none
   Finds 5 %;                      differences of 5 % that are found
   Finds 10 %;                     differences of 10 % that are found
   Finds 20 %;                     differences of 20 % that are found
   Same (%);                       ratios of 1 that are called the same
   Differ;                         comparisons that differ
   Second higher;                  pairs in which the run of the second name is higher, of those that are apart
   p of a sign test;               probability of so many or more on one side, were either as likely
   Same session;                   factor between two runs of one mode in a session
   Different sessions;             factor between two runs of one mode in different sessions
   Check;                          validity check
   Rule;                           what it requires
   Passed;                         cells that passed, of those to which it applies
   Fact;                           fact about the machine
   Tool;                           load generator, tool or library
   Version;                        version
   Limit;                          limit of the system
   Rules;                          set of rules
   Fixed;                          when the version was fixed
   Commit;                         commit of the version
   After results;                  whether results were known when it was fixed",
  sep = ";", quote = "", strip.white = TRUE, na.strings = NULL, encoding = "UTF-8"
)
column_words <- rbind(column_words, data.table(name = sprintf("within_%d_s", 1:10), words = sprintf("requests answered right within %d s", 1:10)))

#' Explanations of columns.
#'
#' @param names of the columns as their file or their table has them; `file` of results/, or NULL.
#' @return character vector; empty where nothing is known of a column.
words_of_columns <- function(names, file = NULL) {
  known <- function(names) fcoalesce(words_of(paste0(file, ":", names)), words_of(names))
  of_base <- known(sub("_(low|high)$", "", names))
  end <- fifelse(endsWith(names, "_low"), "lower", "upper")
  of_end <- fifelse(is.na(of_base), NA_character_, sprintf("%s end of the interval or range of: %s", end, of_base))
  capitalised(fcoalesce(known(names), of_end, ""))
}

# NA where neither the table above nor the analysis knows the column.
words_of <- function(names) {
  about <- about_statistics(names)
  statistic <- paste0(about$title, ifelse(about$unit %in% c("", NA), "", paste(", in", about$unit)))
  fcoalesce(column_words$words[match(names, column_words$name)], fifelse(is.na(about$title), NA_character_, statistic))
}
