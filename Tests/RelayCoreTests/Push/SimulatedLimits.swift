import APNsSimulator

/// In a file of its own: the simulated phone is called as the registration of one is.
typealias SimulatedLimits = Device.Limits
