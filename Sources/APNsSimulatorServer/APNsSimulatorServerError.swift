/// Why the simulator could not be started.
package struct APNsSimulatorServerError: Error, CustomStringConvertible {
    /// A sentence for whoever started it.
    package let description: String

    init(_ description: String) { self.description = description }
}
