package import RelayProtocol

extension BenchResult {
    /// `{"scenario", "load":{…}, "result":{…}, "latency":{microseconds}, "relay":{…}, "driver":{…}}`; values that were not measured
    /// are omitted.
    package func write(to writer: inout JSONWriter) {
        writer.field("scenario", plan.scenario.rawValue)
        writer.object("load", writeLoad)
        writer.object("result") {
            $0.number("seconds", use.seconds)
            $0.field("sent", sent)
            $0.field("deliveries", deliveries.map(Int64.init))
            $0.field("messages", messages.map(Int64.init))
            $0.field("missed", missed)
            $0.number("deliveriesPerSecond", deliveriesPerSecond)
            $0.field("done", done.map(Int64.init))
            $0.number("donePerSecond", donePerSecond)
            $0.field("clients", clients.map(Int64.init))
            $0.field("turnedAway", turnedAway.map(Int64.init))
            $0.number("clientsPerSecond", plan.scenario == .idle ? nil : clientsPerSecond)
        }
        if let latency {
            writer.object("latency") {
                $0.field("count", Int64(latency.count))
                $0.number("p50", latency.p50)
                $0.number("p90", latency.p90)
                $0.number("p99", latency.p99)
                $0.number("p999", latency.p999)
                $0.number("max", latency.max)
            }
        }
        if let seconds = use.relaySeconds {
            writer.object("relay") {
                $0.number("processorSeconds", seconds)
                $0.number("secondsPerMillionDeliveries", relaySecondsPerMillionDeliveries)
                $0.field("residentBeforeKiB", residentBeforeKiB.map(Int64.init))
                $0.field("residentKiB", use.residentKiB.map(Int64.init))
                $0.field("peakKiB", use.peakKiB.map(Int64.init))
                $0.number("kibPerClient", kibPerClient)
                $0.number("idleSecondsPerMinute", idleSecondsPerMinute)
                $0.field("systemCalls", use.systemCalls.map(Int64.init))
                $0.number("systemCallsPerDelivery", systemCallsPerDelivery)
            }
        }
        writer.object("driver") {
            $0.number("processorSeconds", use.driverSeconds)
            $0.number("secondsPerMillionDeliveries", driverSecondsPerMillionDeliveries)
            $0.number("waitedShare", use.driverWaits)
            $0.field("bottleneck", use.bottleneck)
        }
    }

    private func writeLoad(to writer: inout JSONWriter) {
        writer.field("hosts", Int64(plan.hosts))
        writer.field("sessions", Int64(plan.sessions))
        writer.field("clients", Int64(plan.clients))
        writer.field("rate", plan.rate.map(Int64.init))
        if plan.rate == nil { writer.field("window", Int64(plan.window)) }
        writer.field("batch", Int64(plan.batch))
        writer.field("size", Int64(plan.size))
        writer.flag("sealed", plan.isSealed)
        writer.field("durability", plan.durability.rawValue)
        writer.field("history", Int64(plan.history))
        writer.number("warmUpSeconds", plan.warmUp.inSeconds)
    }
}

extension JSONWriter {
    /// A number to a millionth; nil and non-finite values are omitted.
    mutating func number(_ key: StaticString, _ value: Double?) {
        guard let value, value.isFinite, value.magnitude < 1e12 else { return }
        raw(key, Array(String((value * 1e6).rounded() / 1e6).utf8))
    }
}
