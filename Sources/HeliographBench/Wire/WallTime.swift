internal import CHeliographLinux

/// What events are dated by.
enum WallTime {
    static var milliseconds: Int64 { clinux_wall_milliseconds() }
}
