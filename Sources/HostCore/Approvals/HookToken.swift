/// Names one waiting hook call of this daemon's life.
package struct HookToken: Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
