/// Why a signed host refused a client's message.
package enum ConsentRefusal: String, Sendable, CaseIterable {
    case unsigned
    case badSignature
    /// The device is unknown, was distrusted, or may not do this.
    case notTrusted
    /// The request was not shown like this: it is unknown, of another session, or has another digest.
    case notShown
    /// The shown text was cut, so it can only be denied.
    case notWhole
    /// The device has sent a higher count already: the command is old, or was overtaken.
    case oldCount
    /// The host's files were restored, and the device has not said its count since.
    case restored
    /// The host takes sealed content only, and this came unsealed.
    case notSealed
    /// Sealed with a key that the host does not have, or bound to another place.
    case cannotOpen
    /// The owner requires confirmation by a passkey, and there is none.
    case passkeyMissing
    /// The host does not know this passkey of the device.
    case passkeyUnknown
    /// The passkey has confirmed another statement, or for another origin.
    case passkeyWrong
    /// The passkey was used without verifying the person.
    case passkeyNotVerified

    /// The refusal in words, for the person who sent the command.
    package var sentence: String {
        switch self {
        case .unsigned: "This host takes commands with a trusted device's signature only."
        case .badSignature: "The signature does not fit what arrived at the host."
        case .notTrusted:
            "This device is not trusted by the host for this. At that machine run `heliograph host trust` and scan what it shows."
        case .notShown: "The host did not show this question so."
        case .notWhole: "The question could not be shown whole, so it can only be denied."
        case .oldCount: "The host has already had a later command of this device. Send it again."
        case .restored: "The host was restored from older files and waits for this device to confirm its count."
        case .notSealed: "This host takes sealed text only."
        case .cannotOpen: "The host cannot open what was sealed. Send it again."
        case .passkeyMissing:
            "The owner of this host wants a passkey to confirm this: allow it on the page of a device that has one."
        case .passkeyUnknown: "This host does not know this device's passkey. Set it up on the page, under Devices."
        case .passkeyWrong: "The passkey has confirmed something else than this."
        case .passkeyNotVerified: "The passkey was used without checking who you are."
        }
    }
}
