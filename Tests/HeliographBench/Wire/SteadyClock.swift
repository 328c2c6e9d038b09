internal import CHeliographLinux

/// CLOCK_MONOTONIC in nanoseconds, used for all times of a run.
enum SteadyClock {
    static var now: Int64 { clinux_monotonic_nanoseconds() }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }

    var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
