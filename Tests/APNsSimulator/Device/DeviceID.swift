/// Names one simulated phone.
package struct DeviceID: Sendable, Hashable {
    package let name: String
    package init(_ name: String) { self.name = name }
}

/// Names one Live Activity on any device.
package struct ActivityID: Sendable, Hashable {
    package let name: String
    package init(_ name: String) { self.name = name }
}
