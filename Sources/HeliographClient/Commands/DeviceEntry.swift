internal import RelayProtocol

/// A device as the relay lists it, in the part that a terminal shows.
struct DeviceEntry {
    struct Card {
        let session: String?
        let state: String
        let hasToken: Bool
    }

    let id: DeviceID
    let name: String
    let profile: String
    /// The APNs environment; nil unless the device is an app.
    let environment: String?
    let isBrowser: Bool
    /// True for a topic of an ntfy server.
    let isTopic: Bool
    /// True for a program or webhook of the relay's operator.
    let isReceiver: Bool
    /// A browser's push service, a topic's server or a receiver's name; nil for an app, and without an address.
    let pushService: String?
    let system: String
    let hasAlertToken: Bool
    let hasStartToken: Bool
    let countsRules: Bool
    let hidesCost: Bool
    /// The gathering of alerts that need no answer; nil if they are sent at once.
    let gathering: Gathering?
    /// The weekly report of costs; nil if it gets none.
    var weekly: WeeklyCosts? { choices?.weekly }
    /// The current choices of its person; nil if this program does not know one of them.
    let choices: DeviceChoices?
    /// Detail of its pushes: `full`, `summary`, `generic` or `sealed`.
    let text: String?
    let allowsOnLockScreen: Bool
    let clientName: String
    let isPresent: Bool
    let cards: [Card]
    let trouble: String?
    /// Its pushes, newest first.
    let pushes: [PushEntry]
    /// The service that carries its pushes, in words.
    let carrier: String

    init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        let device = try value.required("device").object()
        id = try device.identifier("device")
        name = try device.string("name")
        profile = try device.string("profile")
        environment = try device.optionalString("environment")
        isBrowser = device.optional("web") != nil
        isTopic = device.optional("ntfy") != nil
        let service = try device.optional("web")?.object().optionalString("service")
        let server = try device.optional("ntfy")?.object().optionalString("server")
        isReceiver = device.optional("receiver") != nil
        let receiver = try device.optional("receiver")?.object().optionalString("name")
        pushService = service ?? server ?? receiver
        system = try device.string("system")
        hasAlertToken = try device.flag("alertToken")
        hasStartToken = try device.flag("startToken")
        countsRules = try device.flag("countsRules")
        hidesCost = try device.flag("hidesCost")
        gathering = try device.optional("gather").map { value throws(WireError) in try Gathering(from: value) }
        choices = try? DeviceChoices(from: device)
        text = try device.optionalString("text")
        allowsOnLockScreen = try device.flag("allowOnLockScreen")
        clientName = try value.required("client").object().string("name")
        isPresent = try value.flag("present")
        var cards: [Card] = []
        for entry in try value.array("cards") {
            cards.append(
                Card(
                    session: try entry.object().optionalString("session"), state: try entry.string("state"),
                    hasToken: try entry.flag("hasToken")))
        }
        self.cards = cards
        trouble = try value.optionalString("trouble")
        var pushes: [PushEntry] = []
        carrier = isBrowser ? "its push service" : isTopic ? "its server" : isReceiver ? "its receiver" : "APNs"
        for entry in try value.array("pushes") { pushes.append(try PushEntry(from: entry, service: carrier)) }
        self.pushes = pushes
    }

    /// True if the device has an address for pushes.
    var isReachable: Bool { isApp ? hasAlertToken : pushService != nil }

    private var isApp: Bool { !isBrowser && !isTopic && !isReceiver }

    /// Advice for a device without an address.
    var lackOfAddress: String {
        if isTopic { return "no topic: add it again with heliograph devices add" }
        if isReceiver { return "no receiver: add it again with heliograph devices add" }
        return isBrowser ? "no subscription: switch notifications on there" : "no token for alerts"
    }

    /// The kind of device, in a line.
    var kind: String {
        if isTopic { return "a topic" + (pushService.map { " at \($0)" } ?? "") }
        if isReceiver { return "a receiver" + (pushService.map { ", \($0)" } ?? "") }
        guard isBrowser else { return "\(profile), \(environment ?? "unknown environment"), iOS \(system)" }
        return pushService.map { "\(system), by \($0)" } ?? system
    }

    /// The person's choice of text as a sentence; nil if it is the usual one.
    var says: String? {
        let words: String? =
            switch text {
            case "summary": "text summary: alerts offer Deny, never Allow"
            case "generic": "text generic: alerts offer Deny, never Allow"
            case "sealed": "text sealed: only the device reads it"
            default: !isApp && !allowsOnLockScreen ? "notifications there offer Deny, never Allow" : nil
            }
        let rules = gathering != nil && countsRules ? "calls that rules answered are counted there" : nil
        let parts = [words, hidesCost ? "cost hidden" : nil, gathering?.sentence, rules, weekly?.sentence].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    static func list(_ entries: [[UInt8]]) throws(ClientError) -> [DeviceEntry] {
        do throws(WireError) {
            var devices: [DeviceEntry] = []
            for entry in entries { devices.append(try DeviceEntry(parsing: entry)) }
            return devices
        } catch { throw ClientError(.failed, "the relay lists devices in a way that this program does not know") }
    }

    /// Finds a device by its id or a unique prefix.
    static func find(_ text: String, in devices: [DeviceEntry]) throws(ClientError) -> DeviceEntry {
        switch ShortNames.match(text, among: devices, by: { $0.id.rawValue }) {
        case .one(let device): return device
        case .none:
            throw ClientError(.notFound, "there is no device \(text)", advice: "heliograph devices lists them.")
        case .several(let devices):
            let names = devices.map(\.id.rawValue).sorted().joined(separator: ", ")
            throw ClientError(.usage, "\(text) matches several devices: \(names)")
        }
    }
}

extension WeeklyCosts {
    static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// The report as a sentence for a person who wonders why a device rang.
    var sentence: String {
        "told each \(Self.days[Int(weekday) - 1]) at \(Gathering.clock(at)), \(timeZone), what the week has cost"
    }
}

extension Gathering {
    fileprivate static func clock(_ minute: Int64) -> String {
        "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
    }

    /// The choice as a sentence for a person who wonders why a device did not ring.
    fileprivate var sentence: String {
        let when =
            switch self {
            case .interval(let minutes): "\(minutes) minutes after the first"
            case .daily(let minute, let timeZone): "at \(Self.clock(minute)), \(timeZone)"
            }
        return "errors, finished runs and budgets in one notification, \(when)"
    }
}

/// A push, and its outcome.
struct PushEntry {
    let number: Int64
    let device: DeviceID
    let session: String?
    let purpose: String
    let plannedAt: Int64
    let answeredAt: Int64?
    /// The result; nil while it is planned.
    let result: String?
    let text: String?

    /// The service that accepted or refused it, in words.
    private let service: String

    init(from value: JSONValue, service: String = "APNs") throws(WireError) {
        self.service = service
        number = try value.object().integer("push")
        device = try value.identifier("device")
        session = try value.optionalString("session")
        purpose = try value.string("purpose")
        plannedAt = try value.integer("plannedAt")
        answeredAt = try value.optionalInteger("answeredAt")
        let outcome = value.optional("outcome")
        result = try outcome?.object().string("result")
        text = try outcome?.optionalString("text")
    }

    var isAccepted: Bool { result == "accepted" }

    /// The push's outcome in words.
    var sentence: String {
        let word =
            switch result {
            case "accepted": "accepted by \(service)"
            case "refused": "\(service) refused it"
            case "unknown": "nobody knows whether \(service) accepted it"
            case "notSent": "not sent"
            case let other?: other
            case nil: "planned"
            }
        return word + (text.map { ": \($0)" } ?? "")
    }
}
