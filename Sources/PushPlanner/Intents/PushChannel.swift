package import RelayProtocol

/// A push service as the planner sees it: turns intents into the service's format. Pure, like the planner; another module sends the
/// requests.
///
/// Live Activities are an optional capability: an app without `PushApp.cards` gets alerts only.
package protocol PushChannel: Sendable {
    /// The app that a device named; nil if the channel does not know it.
    func app(named name: String) -> PushApp?
    /// True if each card on this device may listen to a broadcast channel of its own.
    func canBroadcast(to device: Device) -> Bool
    /// What a card would display. If two are equal, the second need not be sent.
    func face(of subject: PushSubject, on device: Device, isBroadcast: Bool) -> [UInt8]
    /// Why this device's address is refused in a workspace, with its place in the command `device`; nil if it is accepted.
    func fault(in device: Device, of workspace: WorkspaceID) -> WireError?
    /// True if a settlement may replace a notification that has rung, without ringing again.
    func takesBack(on device: Device) -> Bool
    /// The alert, cut so that it fits a payload. A cut alert is no longer whole, so the request cannot be allowed from it.
    func fitting(_ content: AlertContent, on device: Device) -> AlertContent
    /// JSON as it is sent, except for code and seal.
    func payload(of content: PushContent, on device: Device) -> [UInt8]
    /// Why pushes do not arrive, in words for the device's person.
    func sentence(on advice: PushAdvice, reason: String) -> String

    /// Urgency, lifetime and replacement of an intent, in the service's own terms: for its record …
    func write(_ intent: PushIntent, to record: inout JSONWriter)
    func read(_ intent: inout PushIntent, from record: JSONValue) throws(WireError)
    /// … and for clients.
    func show(_ intent: PushIntent, to writer: inout JSONWriter)
}

/// Defaults for a channel that accepts every address and has room for all text that the planner composes.
extension PushChannel {
    package func fault(in device: Device, of workspace: WorkspaceID) -> WireError? { nil }
    package func takesBack(on device: Device) -> Bool { true }
    package func fitting(_ content: AlertContent, on device: Device) -> AlertContent { content }
}

/// An app that receives pushes, as far as the planner needs to know it.
package struct PushApp: Sendable {
    /// Settings of an app that shows cards.
    package struct Cards: Sendable {
        /// Time without an update after which a card counts as stale, in milliseconds, like all durations here.
        package var staleAfter: Int64
        /// Age at which a card is ended, in milliseconds.
        package var maximumAge: Int64
        package var dismissal: Dismissal
        /// The app's own sentence for a card that ends because of its age although the run continues.
        package var closingText: LanguageChoice<String>?
        /// Cards on one device at a time, beyond which none is started by push.
        package var countMax: Int

        package init(
            staleAfter: Int64, maximumAge: Int64, dismissal: Dismissal, closingText: LanguageChoice<String>?, countMax: Int
        ) {
            self.staleAfter = staleAfter
            self.maximumAge = maximumAge
            self.dismissal = dismissal
            self.closingText = closingText
            self.countMax = countMax
        }
    }

    /// Time for which an ended card stays on the Lock Screen, in milliseconds.
    package struct Dismissal: Sendable, Equatable {
        package var completed: Int64 = 15 * 60_000
        package var failed: Int64 = 4 * 3_600_000
        package var cancelled: Int64 = 0

        package init() {}
    }

    package let name: String
    /// The push service's own name of the app.
    package let id: String
    /// The most text that its pushes may have, whatever the person chose.
    package let textMax: PushText
    /// Nil if the app gets alerts only.
    package let cards: Cards?

    package init(name: String, id: String, textMax: PushText, cards: Cards?) {
        self.name = name
        self.id = id
        self.textMax = textMax
        self.cards = cards
    }
}
