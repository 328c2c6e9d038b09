/// Why the simulator could not be started.
package struct APNsSimulatorServerError: Error, CustomStringConvertible {
    /// A sentence for the person who started it.
    package let description: String

    init(_ description: String) { self.description = description }
}
