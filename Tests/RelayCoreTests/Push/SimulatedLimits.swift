import APNsSimulator

/// In a separate file, because the simulated phone has the same type name as a registration.
typealias SimulatedLimits = Device.Limits
