/// A part of a device that does not work. It is settled when a push of that kind is accepted, or its app reports the address again.
enum PushTrouble: String, CaseIterable {
    case alerts, starts, cards, channels
    /// The connection to the service: any accepted push settles it.
    case way
}
