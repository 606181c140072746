# Admission: throughput against what is admitted (Little's law), and against threads where requests compute too (the utilization law).

# The loads of the study virtual-threads on the line of Little's law; another study has a tier of the same name.
law_tiers <- c(setNames(rep("sleep", 5), paste0("users-", c(50, 100, 250, 500, 1000))), setNames(rep("lock", 2), c("lock-20ms", "lock-20ms-users-8")))

#' Throughput and its bound, min(users, admitted) over the time that each request waits.
#'
#' @param bounds see read_bounds().
#' @return data.table: panel (the time that a request waits, and the users), mode, tier, inside (requests that are served concurrently), wait_ms, measured_per_s, kind (of the thread, in words).
points_of_lines <- function(bounds, cells) {
  rows <- bounds[study == "virtual-threads" & tier %in% names(law_tiers) & tool == "jmeter" & is.finite(measured_per_s) & !is_variant(mode)]
  if (nrow(rows) == 0) return(data.table())
  kinds <- kinds_of_cells(Filter(function(cell) cell$cell$study == "virtual-threads", cells))
  points <- rows[, .(
    line = law_tiers[tier], mode, tier, users, inside = pmin(users, admitted, na.rm = TRUE), wait_ms, measured_per_s,
    kind = fcoalesce(unname(kinds[mode]), "platform threads")
  )][is.finite(inside) & is.finite(wait_ms)]
  points[, panel := sprintf("%s ms of waiting, %s users", format_number(wait_ms[1]), paste(unique(format_number(range(users))), collapse = " to ")), by = line]
  points[, c("line", "users") := NULL][]
}

# The kind of thread of each mode, from what its cells were configured to be.
kinds_of_cells <- function(cells) {
  kind_of <- function(cell) {
    mode <- cell$configuration$mode
    if (!identical(mode$kind, "virtual")) return("platform threads")
    options <- mode$options
    # Before JDK 24 a monitor that is held pins its carrier.
    if (identical(options$lock, "synchronized") && isTRUE(mode$jdk < 24)) return("virtual threads, pinned")
    if (!is.null(options$permits)) "virtual threads, a semaphore" else "virtual threads"
  }
  found <- vapply(cells, kind_of, "")
  names(found) <- vapply(cells, function(cell) cell$cell$mode, "")
  found[!duplicated(names(found))]
}

kind_looks <- data.table(
  kind = c("platform threads", "virtual threads", "virtual threads, a semaphore", "virtual threads, pinned"),
  colour = c("#0072B2", "#009E73", "#E69F00", "#D55E00"), shape = c(15, 16, 1, 17)
)

#' Measured throughput against the requests that are served concurrently; the dashed line is what Little's law allows them.
figure_law <- function(points) {
  law <- points[, .(inside = range(inside), per_s = 1000 * range(inside) / wait_ms[1]), by = panel]
  of_kind <- function(column) setNames(kind_looks[[column]], kind_looks$kind)
  ggplot(points, aes(inside, measured_per_s)) +
    geom_line(aes(y = per_s), law, colour = ink, linetype = "42", linewidth = 0.35) +
    geom_point(aes(colour = kind, shape = kind), size = 2.2) +
    facet_wrap(~panel, scales = "free", labeller = label_wrap_gen(22)) +
    scale_x_log10(labels = plain_number) +
    scale_y_log10(labels = plain_number) +
    scale_colour_manual(values = of_kind("colour")) +
    scale_shape_manual(values = of_kind("shape")) +
    labs(x = "served concurrently: min(users, admitted)", y = "requests/s") +
    theme_artifact()
}

#' How far the values lie below the law, and where most.
sentence_of_law <- function(points) {
  if (nrow(points) == 0) return("")
  reached <- copy(points)[, share := measured_per_s * wait_ms / 1000 / inside][order(share)]
  least <- reached[1]
  sprintf(
    "%s reach 90 %% of what Little's law allows them; the least is %s of it, with %s requests on %s (%s/s).",
    capitalised(some_of(sum(reached$share >= 0.9), nrow(reached), "value")), percent(least$share), format_number(least$inside), least$kind, format_number(least$measured_per_s)
  )
}

#' Throughput against the threads of a pool, with its bounds: `sized` are rows of read_bounds() at one tier, a row a size.
figure_sizing <- function(sized) {
  rows <- copy(sized)[order(admitted)]
  rows[, panel := sprintf("%s ms of waiting, then CPU time, %s users", format_number(wait_ms[1]), format_number(users[1]))]
  law <- data.table(admitted = exp(seq(log(min(rows$admitted)), log(max(rows$admitted)), length.out = 60)), panel = rows$panel[1])
  # The CPUs' bound is where they are the least.
  by_cpu <- fcoalesce(as.numeric(median(rows[bound_by == "cpu"]$bound_per_s)), Inf)
  law[, per_s := pmin(1000 * admitted / rows$wait_ms[1], by_cpu)]
  ggplot(rows, aes(admitted, measured_per_s)) +
    geom_line(aes(y = per_s), law, colour = ink, linetype = "42", linewidth = 0.35) +
    geom_line(aes(y = mva_per_s), colour = faint, linewidth = 0.8, na.rm = TRUE) +
    geom_point(colour = "#0072B2", size = 2.2) +
    scale_x_log10(labels = plain_number, breaks = rows$admitted) +
    scale_y_continuous(labels = plain_number, limits = c(0, NA)) +
    facet_wrap(~panel, labeller = label_wrap_gen(28)) +
    labs(x = "threads", y = NULL) +
    theme_artifact()
}

#' Both in one figure; one of them where the other has no values.
figure_admission <- function(points, sized) {
  parts <- list(if (nrow(points) > 0) figure_law(points), if (nrow(sized) > 1) figure_sizing(sized))
  widths <- c(uniqueN(points$panel), 1)[lengths(parts) > 0]
  wrap_plots(Filter(Negate(is.null), parts), nrow = 1, widths = widths, guides = "collect") & theme(legend.position = "bottom")
}

#' Measured throughput as a share of mean value analysis.
sentence_of_sizing <- function(sized) {
  rows <- sized[is.finite(mva_per_s)]
  if (nrow(rows) == 0) return("")
  sprintf("The measured values are %s of what mean value analysis predicts.", span(100 * rows$measured_per_s / rows$mva_per_s, " %"))
}

#' Who goes on where half of the requests, those at `tier`, hold a lock and half wait for it in synchronized.
sentence_of_deadlock <- function(all, tier) {
  wanted <- tier
  rows <- all$summary[, which(tier == wanted & tool == "jmeter" & outcome != "beyond_limits")]
  rows <- rows[all$summary[rows, outcome != "completed" | is.finite(throughput_per_s)]]
  if (length(rows) == 0) return("")
  jdk <- from_cells(all$cells[rows], function(cell) number(cell$configuration$mode$jdk), NA_real_)
  told <- all$summary[rows, ifelse(
    outcome == "completed", sprintf("on JDK %s they serve %s requests/s", jdk, format_number(throughput_per_s)),
    sprintf("on JDK %s the server answers nothing any more (outcome `%s`)", jdk, outcome)
  )]
  sprintf("Where half of %s users hold one lock and half wait for it in `synchronized`, %s.", format_number(all$summary$users[rows[1]]), enumerate(unique(told)))
}
