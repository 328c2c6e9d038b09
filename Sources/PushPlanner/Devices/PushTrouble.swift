/// The part of a device that has trouble: it is over when a push of that kind is accepted, or its app reports the address again.
enum PushTrouble: String, CaseIterable {
    case alerts, starts, cards, channels
    /// The way to the service: any push that is accepted ends it.
    case way
}
