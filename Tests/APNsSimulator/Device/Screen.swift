package import RelayProtocol

/// A device's display at one moment: enough to draw its Lock Screen and Dynamic Island.
package struct Screen: Sendable {
    /// One card. `isEnded` ones stay on the Lock Screen for a while.
    package struct Card: Sendable {
        package let activity: ActivityID
        package let bundle: String
        package let face: CardFace
        package let isStale: Bool
        package let isEnded: Bool
        /// The alert that lit the screen up within `Screen.alertMilliseconds`.
        package let alert: Activity.Alert?
        /// Milliseconds since 1970.
        package let updatedAt: Int64
    }

    /// Notifications of one thread, shown as a stack with the newest on top.
    package struct Stack: Sendable {
        package let top: ShownNotification
        package let count: Int
    }

    package enum Row: Sendable {
        case card(Card)
        case notifications(Stack)
    }

    package enum Island: Sendable {
        case empty
        /// Beside the camera, leading and trailing.
        case compact(Card)
        /// Two apps share the island: one attached, one detached.
        case minimal(Card, Card)
        /// Expanded for a moment, because an update came with an alert.
        case expanded(Card)
    }

    /// Time for which an alert keeps the island expanded.
    static let alertMilliseconds: Int64 = 5000

    /// The rows from top to bottom.
    package let lockScreen: [Row]
    package let island: Island
}

extension Device {
    /// Call after `APNsSimulator.pass(to:)` for the same moment.
    package func screen(at now: Int64) -> Screen {
        // Sorted by relevance; of two with the same, the one updated last comes first.
        let ordered = activities.values.sorted {
            ($0.relevance, $0.updatedAt, $0.id.name) > ($1.relevance, $1.updatedAt, $1.id.name)
        }
        let cards = ordered.map { card($0, at: now) }
        let threads = Dictionary(grouping: notifications) { "\($0.bundle)\n\($0.thread ?? "")" }
        let stacks = threads.values.compactMap { stack in stack.last.map { Screen.Stack(top: $0, count: stack.count) } }
            .sorted { ($0.top.at, $0.top.title) > ($1.top.at, $1.top.title) }
        return Screen(
            lockScreen: cards.map { .card($0) } + stacks.map { .notifications($0) },
            // An app on the screen is not shown in the island, and an ended activity has left it.
            island: island(of: cards.filter { !$0.isEnded && $0.bundle != foreground }))
    }

    private func card(_ activity: Activity, at now: Int64) -> Screen.Card {
        let alert = activity.alert.flatMap { now - $0.at < Screen.alertMilliseconds ? $0 : nil }
        return Screen.Card(
            activity: activity.id, bundle: activity.bundle, face: activity.face, isStale: activity.isStale(at: now),
            isEnded: !activity.isActive, alert: alert, updatedAt: activity.updatedAt)
    }

    private func island(of cards: [Screen.Card]) -> Screen.Island {
        guard let first = cards.first else { return .empty }
        if let alerting = cards.first(where: { $0.alert != nil }) { return .expanded(alerting) }
        if let second = cards.first(where: { $0.bundle != first.bundle }) { return .minimal(first, second) }
        return .compact(first)
    }
}

extension Screen {
    package var json: [UInt8] {
        JSONWriter.object { line in
            line.array(
                "lockScreen",
                lockScreen.map { row in
                    switch row {
                    case .card(let card): card.json(kind: "card")
                    case .notifications(let stack): stack.json
                    }
                })
            switch island {
            case .empty: line.array("island", [])
            case .compact(let card): line.array("island", [card.json(kind: "compact")])
            case .minimal(let first, let second):
                line.array("island", [first.json(kind: "minimal"), second.json(kind: "minimal")])
            case .expanded(let card): line.array("island", [card.json(kind: "expanded")])
            }
        }
    }
}

extension Screen.Card {
    fileprivate func json(kind: String) -> [UInt8] {
        JSONWriter.object { line in
            line.field("kind", kind)
            line.field("activity", activity.name)
            line.field("bundle", bundle)
            line.object("face") { face.write(to: &$0) }
            line.flag("isStale", isStale)
            line.flag("isEnded", isEnded)
            if let alert {
                line.object("alert") { line in
                    line.field("title", alert.title)
                    line.field("body", alert.body)
                    line.flag("hasSound", alert.hasSound)
                }
            }
            line.field("updatedAt", updatedAt)
        }
    }
}

extension Screen.Stack {
    fileprivate var json: [UInt8] {
        JSONWriter.object { line in
            line.field("kind", "notification")
            line.field("count", Int64(count))
            top.write(to: &line)
        }
    }
}

extension ShownNotification {
    package func write(to line: inout JSONWriter) {
        line.field("bundle", bundle)
        line.field("title", title)
        if !subtitle.isEmpty { line.field("subtitle", subtitle) }
        line.field("body", body)
        line.strings("actions", actions)
        line.field("category", category)
        line.field("thread", thread)
        line.field("collapseID", collapseID)
        line.field("level", level.rawValue)
        line.flag("rang", rang)
        line.flag("isRewritten", isRewritten)
        line.field("at", at)
        line.raw("payload", payload)
    }
}
