/// Counts of what the planner holds.
package struct PlannerCensus: Sendable {
    package internal(set) var devices = 0
    package internal(set) var cards = 0
    package internal(set) var pushes = 0
    package internal(set) var channels = 0
    package internal(set) var rings = 0
    package internal(set) var owed = 0
    /// The first bound that is exceeded, as a sentence.
    package internal(set) var breach: String?
}
