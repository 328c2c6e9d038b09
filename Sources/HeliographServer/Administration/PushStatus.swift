import Foundation
import RelayAccess
package import RelayProtocol

/// A running relay's report of its pushes.
package enum PushStatus {
    /// JSON; nil if no relay runs on this data directory.
    package static func read(in directory: String) throws -> [UInt8]? {
        let socket = AdminSocket(in: try Storage(directory: directory).folder)
        do throws(HTTPError) {
            return try socket.body(of: AdminPath.push)
        } catch {
            guard error.code == .unreachable else { throw ServerError(.push, error.message) }
            return nil
        }
    }

    /// Apple's last answer about a key.
    package struct Word: Equatable, Sendable {
        package var team: String
        package var environment: String
        package var service: String
        /// Apple's reason for refusing the key; nil: it was accepted.
        package var refusal: String?
        /// Milliseconds since 1970.
        package var at: Int64
    }

    package static func words(_ status: [UInt8]) throws(WireError) -> [Word] {
        var words: [Word] = []
        for lane in try JSONDocument(parsing: status).root.object().array("lanes") {
            guard let apple = lane.optional("apple") else { continue }
            words.append(
                Word(
                    team: try lane.string("team"), environment: try lane.string("environment"),
                    service: try lane.string("service"),
                    refusal: try apple.optionalString("refusal"), at: try apple.integer("at")))
        }
        return words
    }

    /// The problems, each as a sentence.
    package static func troubles(_ status: [UInt8]) throws(WireError) -> [String] {
        let root = try JSONDocument(parsing: status).root.object()
        var troubles = [try root.optionalString("trouble")]
        for lane in try root.array("lanes") { troubles.append(try lane.optionalString("trouble")) }
        guard let web = root.optional("web") else { return troubles.compactMap { $0 } }
        if try web.flag("used") { troubles.append(try web.optionalString("trouble")) }
        for origin in try web.array("origins") + (root.optional("servers")?.array() ?? []) {
            let (service, trouble) = (try origin.string("service"), try origin.optionalString("trouble"))
            troubles.append(trouble.map { "\(service): \($0)" })
        }
        return troubles.compactMap { $0 }
    }

    /// Receivers whose last push failed, with the reason.
    static func receiverTroubles(_ status: [UInt8]) throws(WireError) -> [(name: String, trouble: String)] {
        var troubles: [(name: String, trouble: String)] = []
        for receiver in try JSONDocument(parsing: status).root.object().optional("receivers")?.array() ?? [] {
            guard let trouble = try receiver.optionalString("trouble") else { continue }
            troubles.append((try receiver.string("name"), trouble))
        }
        return troubles
    }

    private static func browserLines(_ web: JSONValue) throws(WireError) -> [String] {
        let origins = try web.array("origins")
        var lines: [String] = []
        switch (try web.flag("used"), try web.optionalString("trouble")) {
        case (true, let trouble?): lines.append("trouble: nothing is pushed to browsers: \(trouble)")
        case (true, nil) where origins.isEmpty: lines.append("browsers: ready, nothing was sent since the relay started")
        case (true, nil): break
        case (false, let trouble?): lines.append("browsers: not yet possible: \(trouble)")
        case (false, nil): lines.append("browsers: ready; switch notifications on in the page of each, under Devices")
        }
        for origin in origins { lines.append(try line(origin, of: "browsers")) }
        return lines
    }

    private static func line(_ origin: JSONValue, of whom: String) throws(WireError) -> String {
        var line = "\(whom), \(try origin.string("service")): "
        line += try origin.flag("connected") ? "connected" : "no connection"
        line += ", \(try origin.integer("waiting")) waiting, \(try origin.integer("flying")) on their way"
        if let refusal = try origin.optionalString("refusal") {
            line += ", nothing is sent: it refuses our token (\(refusal))"
        }
        if let trouble = try origin.optionalString("trouble") { line += ": \(trouble)" }
        return line
    }

    private static func line(ofReceiver receiver: JSONValue) throws(WireError) -> String {
        let line =
            "receiver \(try receiver.string("name")): \(try receiver.integer("running")) running, \(try receiver.integer("waiting")) waiting, \(try receiver.integer("accepted")) accepted"
        return line + (try receiver.optionalString("trouble").map { "; the last was not: \($0)" } ?? "")
    }

    /// The status as lines for people.
    package static func lines(_ status: [UInt8]) throws(WireError) -> [String] {
        let root = try JSONDocument(parsing: status).root.object()
        var lines: [String] = []
        let (teams, trouble) = (try root.array("teams"), try root.optionalString("trouble"))
        if teams.isEmpty, trouble == nil {
            lines.append("apps: no key for Apple's push service: heliograph push setup (browsers need none)")
        }
        for team in teams {
            var bundles: [String] = []
            for bundle in try team.array("bundles") { bundles.append(try bundle.string()) }
            var environments: [String] = []
            for environment in try team.array("environments") { environments.append(try environment.string()) }
            lines.append(
                "team \(try team.string("team")), key \(try team.string("key")), \(environments.joined(separator: " and ")): "
                    + bundles.joined(separator: ", "))
        }
        if let trouble { lines.append("trouble: \(trouble)") }
        for lane in try root.array("lanes") {
            let isConnected = try lane.flag("connected")
            var line =
                "\(try lane.string("service")), \(try lane.string("environment")): \(isConnected ? "connected" : "no connection")"
            line += ", \(try lane.integer("waiting")) waiting, \(try lane.integer("flying")) on their way"
            if try lane.flag("breakerOpen") { line += ", nothing is sent: Apple refuses the key" }
            if let trouble = try lane.optionalString("trouble") { line += ": \(trouble)" }
            if let refusal = try lane.optional("apple")?.optionalString("refusal") { line += "; Apple said \(refusal)" }
            lines.append(line)
        }
        if let web = root.optional("web") { lines += try browserLines(web) }
        for server in try root.optional("servers")?.array() ?? [] { lines.append(try line(server, of: "topics")) }
        for receiver in try root.optional("receivers")?.array() ?? [] { lines.append(try line(ofReceiver: receiver)) }
        let outcomes = try root.array("outcomes")
        if outcomes.isEmpty { lines.append("no pushes since the relay started") }
        for outcome in outcomes {
            let time = Date(timeIntervalSince1970: Double(try outcome.integer("at")) / 1000).formatted(.iso8601)
            let text = try outcome.optionalString("text").map { ": \($0)" } ?? ""
            lines.append(
                "\(time)  \(try outcome.string("purpose")) to \(try outcome.string("device")): \(try outcome.string("result"))\(text)"
            )
        }
        return lines
    }
}
