extension BenchResult {
    /// Lines for people, each with a name and a value.
    package var table: [String] {
        rows.map { name, value in name + String(repeating: " ", count: max(1, 34 - name.count)) + value }
    }

    private var rows: [(String, String)] {
        var rows = [("scenario", "\(plan.scenario.rawValue): \(load)"), ("measured", "\(Self.short(use.seconds)) s")]
        if let deliveries, let rate = deliveriesPerSecond {
            rows.append(("events sent", Self.grouped(Double(sent ?? 0))))
            rows.append(("deliveries", "\(Self.grouped(Double(deliveries))), each checked; \(Self.grouped(rate)) /s"))
        }
        if let missed { rows.append(("live events dropped", Self.grouped(Double(missed)))) }
        if let done, let rate = donePerSecond {
            rows.append(
                (
                    plan.scenario == .approval ? "approvals" : "events on disk",
                    "\(Self.grouped(Double(done))); \(Self.grouped(rate)) /s"
                ))
        }
        if let clients {
            let rate = plan.scenario == .idle ? "" : "; \(Self.grouped(clientsPerSecond ?? 0)) /s until each was level"
            rows.append(("clients", "\(Self.grouped(Double(clients)))\(rate)"))
            if let turnedAway, turnedAway > 0 { rows.append(("turned away and back", Self.grouped(Double(turnedAway)))) }
        }
        if let latency {
            let values = [latency.p50, latency.p90, latency.p99, latency.p999, latency.max].map { Self.short($0 / 1_000) }
            rows.append(("p50 / p90 / p99 / p99.9 / max", values.joined(separator: " / ") + " ms"))
        }
        if let seconds = use.relaySeconds {
            var text = "\(Self.short(seconds)) s"
            if let each = relaySecondsPerMillionDeliveries { text += "; \(Self.short(each)) s per million deliveries" }
            rows.append(("relay's processor", text))
            if let idleSecondsPerMinute {
                rows.append(("… while nobody does anything", "\(Self.short(idleSecondsPerMinute)) s a minute"))
            }
        }
        if let resident = use.residentKiB {
            let each = kibPerClient.map { "; \(Self.short($0)) KiB a client" } ?? ""
            let peak = use.peakKiB.map { ", peak \(Self.short(Double($0) / 1024))" } ?? ""
            rows.append(("relay's memory", "\(Self.short(Double(resident) / 1024)) MiB resident\(peak)\(each)"))
        }
        if let calls = use.systemCalls {
            let each = systemCallsPerDelivery.map { "; \(Self.short($0)) a delivery" } ?? ""
            rows.append(("relay's system calls", Self.grouped(Double(calls)) + each))
        }
        var own = "\(Self.short(use.driverSeconds)) s"
        if let each = driverSecondsPerMillionDeliveries { own += "; \(Self.short(each)) s per million deliveries" }
        rows.append(("this program's processor", own + "; it waited \(Self.short(use.driverWaits * 100)) % of the time"))
        if use.bottleneck == "load" {
            rows.append(("note", "this program was the bottleneck: the relay can do more than this"))
        }
        return rows
    }

    private var load: String {
        var words = ["\(plan.hosts) hosts", "\(plan.sessions) sessions"]
        if plan.scenario != .ingest { words.append("\(Self.grouped(Double(plan.clients))) clients") }
        if plan.scenario == .fanout || plan.scenario == .ingest {
            words.append(plan.rate.map { "\(Self.grouped(Double($0))) events/s" } ?? "window \(plan.window)")
            words.append("\(plan.size) bytes, \(plan.batch) a message, \(plan.durability.rawValue)")
        }
        return words.joined(separator: ", ")
    }

    /// The number with three significant digits.
    static func short(_ value: Double) -> String {
        let magnitude = value.magnitude
        let places = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 0.1 ? 2 : 3
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return places == 0 ? grouped(rounded) : String(rounded)
    }

    /// `1,234,567`
    static func grouped(_ value: Double) -> String {
        let digits = String(Int64(value.rounded()))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, digit != "-", (digits.count - place) % 3 == 0, digits.prefix(place) != "-" { text += "," }
            text.append(digit)
        }
        return text
    }
}
