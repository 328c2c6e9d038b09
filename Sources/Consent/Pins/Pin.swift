/// A right of a trusted device.
package enum PinRight: String, Sendable, CaseIterable {
    /// Allow tools, deny with words, and change to modes that ask less.
    case allow
    case answer
    /// Send prompts, and anything else that steers a session.
    case prompt
    /// Bring further devices and end the trust in others.
    case vouch
}

/// A host's own record of a device that it trusts.
package struct Pin: Sendable, Equatable {
    /// Who brought the device.
    package enum Origin: Sendable, Equatable {
        /// A person at the host's terminal.
        case terminal
        case device(KeyID)
    }

    package let id: KeyID
    package let sign: SigningPoint
    package let box: BoxPoint
    package var name: String
    /// Milliseconds since 1970.
    package var since: Int64
    package var by: Origin
    package var may: Set<PinRight>
    /// Count of the last prompt, command or letter that the host took; the next must be higher.
    package var count: Int64 = 0
    /// Passkeys of the device. Any of them can confirm what the owner wants confirmed.
    package internal(set) var passkeys: [Passkey] = []
    /// A passkey that waits for a yes at the host's terminal; a later one replaces it.
    package internal(set) var askedPasskey: Passkey?
    /// The host's file was restored, so `count` may be old. Nothing from the device is taken until it says its count again, or is
    /// paired again.
    package var isSuspended = false

    package init(
        sign: SigningPoint, box: BoxPoint, name: String, since: Int64, by: Origin, may: Set<PinRight>, _ crypto: ConsentCrypto
    ) {
        id = KeyID(of: sign, crypto)
        self.sign = sign
        self.box = box
        self.name = name
        self.since = since
        self.by = by
        self.may = may
    }

    package func may(_ right: PinRight) -> Bool { !isSuspended && may.contains(right) }
}
