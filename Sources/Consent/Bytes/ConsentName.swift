internal import RelayProtocol

/// Names of devices and hosts: they are printed at a terminal, and a denial's is read by the agent's model.
package enum ConsentName {
    /// True for one line without control characters, of 1 to `WireLimits.nameBytesMax` bytes.
    package static func isSpelled(_ name: String) -> Bool {
        (1...WireLimits.nameBytesMax).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
    }
}
