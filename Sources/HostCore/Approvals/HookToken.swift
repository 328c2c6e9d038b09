/// Names one caller of this daemon's life that waits for an answer, whichever agent it is of: a hook call, or a request on a connection.
package struct HookToken: Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
