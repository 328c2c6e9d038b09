import RelayProtocol

extension SessionState {
    /// Memory that any session takes, with its entries in the relay's tables.
    package static let keptBytesMin = 2 << 10

    /// The sizes that count against the session's host: approximate memory without approvals, and the bytes of its events. Called with
    /// every message. It changes nothing, but is mutating so that it works in place: a value read out of an object would be copied.
    mutating func kept() -> (bytes: Int, events: Int64, host: HostID) {
        (measureKept(), eventBytes, summary.host.id)
    }

    private mutating func measureKept() -> Int {
        var bytes = Self.keptBytesMin + offerBytes + summary.textBytes
        bytes += agentReason.memoryBytes + agentOperation.memoryBytes + currentCall.memoryBytes + run.memoryBytes
        if !subagents.isEmpty { bytes += subagents.reduce(0) { $0 + $1.memoryBytes } }
        return bytes + openSteering.count * Self.steeringNameBytes
    }

    /// Memory for a client's and a command's identifier.
    private static let steeringNameBytes = 256
}

extension Summary {
    /// Bytes of the summary's texts, without the steering offer.
    fileprivate var textBytes: Int {
        var bytes = agentName.memoryBytes + agentVersion.memoryBytes + model.memoryBytes + title.memoryBytes
        bytes += project.memoryBytes + workingDirectory.memoryBytes + folder.memoryBytes
        bytes += branch.memoryBytes + statusReason.memoryBytes
        bytes += operation.memoryBytes + file.memoryBytes + error.memoryBytes + line.memoryBytes
        if let todo { bytes += todo.current.memoryBytes }
        return bytes
    }
}

extension SteeringOffer {
    /// Approximate memory of the steering offer.
    package var memoryBytes: Int {
        var bytes = reason.memoryBytes + mode.memoryBytes + modes.memoryBytes + models.memoryBytes + commands.memoryBytes
        bytes += (consent?.rawValue).memoryBytes + sealed.memoryBytes
        for wrap in wraps ?? [] {
            bytes += MemoryLayout<KeyWrap>.stride + wrap.device.rawValue.memoryBytes + wrap.wrap.memoryBytes
        }
        for project in projects ?? [] { bytes += project.name.memoryBytes + project.folder.memoryBytes }
        for agent in agents {
            bytes += agent.name.memoryBytes + agent.title.memoryBytes + agent.modes.memoryBytes + agent.models.memoryBytes
        }
        return bytes
    }
}

extension String {
    /// Longer strings are on the heap: their own bytes, the object's header and what the allocator rounds up to.
    fileprivate var memoryBytes: Int { utf8.count > 15 ? utf8.count + 64 : 16 }
}

extension String? {
    fileprivate var memoryBytes: Int { self?.memoryBytes ?? 0 }
}

extension [String] {
    fileprivate var memoryBytes: Int { reduce(0) { $0 + $1.memoryBytes } }
}
