internal import CHeliographLinux

/// The clock that dates events.
enum WallTime {
    static var milliseconds: Int64 { clinux_wall_milliseconds() }
}
