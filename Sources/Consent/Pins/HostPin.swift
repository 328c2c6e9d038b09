internal import RelayProtocol

/// A device's own record of a host that proved itself.
package struct HostPin: Sendable, Equatable {
    package let id: KeyID
    package let sign: SigningPoint
    package let box: BoxPoint
    package var name: String
    /// Milliseconds since 1970.
    package var since: Int64
    /// The relay's name of the host, set once something that it sealed was opened: from then on nothing goes to it unsealed.
    package var sealsAs: String?
    /// Newest epoch of which this device has the key. Nothing is sealed with an older one.
    package var epoch: EpochNumber?

    package init(sign: SigningPoint, box: BoxPoint, name: String, since: Int64, _ crypto: ConsentCrypto) {
        id = KeyID(of: sign, crypto)
        self.sign = sign
        self.box = box
        self.name = name
        self.since = since
    }
}

/// The hosts that a device has joined, and the count of what it has signed: a terminal's `hosts.json`.
///
/// ```
/// {"version":1,"count":N,"hosts":[{"id","sign","box","name","since","seals"?,"epoch"?}]}
/// ```
package struct HostBook: Sendable, Equatable {
    package static let hostsMax = 64
    package static let fileBytesMax = 64 << 10
    private static let version: Int64 = 1

    /// Count of the last prompt, command or letter that was signed, whichever host it was for.
    package private(set) var count: Int64 = 0
    package private(set) var hosts: [HostPin] = []

    package init() {}

    package subscript(id: KeyID) -> HostPin? { hosts.first { $0.id == id } }

    /// The count for the next statement. The caller writes the file before it sends the statement.
    package mutating func nextCount() -> Int64 {
        precondition(count < JSONValue.integerMax, "a device signs fewer than 2⁵³ statements")
        count += 1
        return count
    }

    /// Adds the host, or replaces it. Throws `full`.
    package mutating func pin(_ host: HostPin) throws(ConsentError) {
        if let index = hosts.firstIndex(where: { $0.id == host.id }) {
            let known = hosts[index]
            hosts[index] = host
            hosts[index].sealsAs = host.sealsAs ?? known.sealsAs
            hosts[index].epoch = host.epoch ?? known.epoch
            return
        }
        guard hosts.count < Self.hostsMax else {
            throw ConsentError(.full, at: "hosts", "a device joins at most \(Self.hostsMax) hosts")
        }
        hosts.append(host)
    }

    /// Marks a host that was seen to seal. The epoch never goes back.
    package mutating func seals(_ id: KeyID, as name: String, in epoch: EpochNumber) {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return }
        hosts[index].sealsAs = name
        hosts[index].epoch = max(epoch, hosts[index].epoch ?? 0)
    }

    package mutating func forget(_ id: KeyID) { hosts.removeAll { $0.id == id } }

    package init(parsing bytes: [UInt8], _ crypto: ConsentCrypto) throws(ConsentError) {
        let file = try JSONValue.file(bytes, bytesMax: Self.fileBytesMax, version: Self.version)
        do throws(WireError) {
            count = try file.integer("count")
            for entry in try file.array("hosts", countMax: Self.hostsMax) {
                let name = try entry.object().consentName("name")
                var host = HostPin(
                    sign: try entry.fixed("sign"), box: try entry.fixed("box"), name: name, since: try entry.integer("since"),
                    crypto)
                guard try entry.fixed("id") == host.id, self[host.id] == nil else {
                    throw WireError(
                        .badValue, at: entry.path + ".id", "this is not the id of its signing point, or there twice")
                }
                host.sealsAs = try entry.optionalString("seals")
                host.epoch = try entry.optionalInteger("epoch", in: 1...Int64(EpochNumber.max)).map { EpochNumber($0) }
                hosts.append(host)
            }
        } catch { throw ConsentError(error) }
    }

    package var bytes: [UInt8] {
        JSONWriter.object { file in
            file.field("version", Self.version)
            file.field("count", count)
            file.array(
                "hosts",
                hosts.map { host in
                    JSONWriter.object {
                        $0.field("id", host.id.text)
                        $0.field("sign", host.sign.text)
                        $0.field("box", host.box.text)
                        $0.field("name", host.name)
                        $0.field("since", host.since)
                        $0.field("seals", host.sealsAs)
                        $0.field("epoch", host.epoch.map(Int64.init))
                    }
                })
        }
    }
}
