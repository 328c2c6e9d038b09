package import RelayProtocol

/// One way to devices: it puts intents into the words of its push service. Pure, as the planner is that asks it; what carries out its
/// requests is another module's.
///
/// What a Live Activity needs is a capability: an app without `PushApp.cards` gets alerts only.
package protocol PushChannel: Sendable {
    /// The app that a device has named; nil: the channel knows none of that name.
    func app(named name: String) -> PushApp?
    /// Cards on this device may listen to a broadcast channel, one for each.
    func canBroadcast(to device: Device) -> Bool
    /// A card's display of this: of two equal ones the second need not be sent.
    func face(of subject: PushSubject, on device: Device, isBroadcast: Bool) -> [UInt8]
    /// Why this device's address is not taken in a workspace, with its place in the command `device`; nil: it is.
    func fault(in device: Device, of workspace: WorkspaceID) -> WireError?
    /// True if a settlement may replace a notification that has rung, without ringing again.
    func takesBack(on device: Device) -> Bool
    /// An alert as it fits a payload: what is cut there is not whole, and cannot be allowed from what is shown.
    func fitting(_ content: AlertContent, on device: Device) -> AlertContent
    /// JSON, as it goes out but for code and seal.
    func payload(of content: PushContent, on device: Device) -> [UInt8]
    /// Why pushes do not arrive, for a person who looks at the device.
    func sentence(on advice: PushAdvice, reason: String) -> String

    /// Urgency, lifetime and replacement of an intent, in the service's own words: in its record …
    func write(_ intent: PushIntent, to record: inout JSONWriter)
    func read(_ intent: inout PushIntent, from record: JSONValue) throws(WireError)
    /// … and as clients see it.
    func show(_ intent: PushIntent, to writer: inout JSONWriter)
}

/// The defaults of a channel that takes every address and has room for all that the planner composes.
extension PushChannel {
    package func fault(in device: Device, of workspace: WorkspaceID) -> WireError? { nil }
    package func takesBack(on device: Device) -> Bool { true }
    package func fitting(_ content: AlertContent, on device: Device) -> AlertContent { content }
}

/// An app that pushes are for, as far as the planner has to know it.
package struct PushApp: Sendable {
    /// Settings of an app that shows cards.
    package struct Cards: Sendable {
        /// A card that is told nothing for so long counts as stale. In milliseconds, as all durations here.
        package var staleAfter: Int64
        /// A card is ended before it grows older.
        package var maximumAge: Int64
        package var dismissal: Dismissal
        /// The app's own sentence on a card that ends for its age though the run goes on.
        package var closingText: String?
        /// Cards on one device at a time: no more are started by push.
        package var countMax: Int

        package init(staleAfter: Int64, maximumAge: Int64, dismissal: Dismissal, closingText: String?, countMax: Int) {
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
    /// The most that its pushes may say, whatever the person chose.
    package let textMax: PushText
    /// Nil: alerts only.
    package let cards: Cards?

    package init(name: String, id: String, textMax: PushText, cards: Cards?) {
        self.name = name
        self.id = id
        self.textMax = textMax
        self.cards = cards
    }
}
