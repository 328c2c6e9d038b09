import Foundation
import Synchronization

/// Local times, which the core cannot compute, by the machine's tz database. A zone is read once, so that a newer database counts
/// from the relay's next start on.
enum TimeZones {
    private static let week: Int64 = 7 * 1_440
    private static let folder = "/usr/share/zoneinfo/"
    /// There are some 600 names.
    private static let zonesMax = 1_024
    private static let nameBytesMax = 64
    private static let zones = Mutex<[String: ZoneFile?]>([:])

    /// The minute of the week, from Monday 0:00 on, at `time` (milliseconds since 1970); nil if the tz database has no such zone.
    static func weekMinute(_ name: String, _ time: Int64) -> Int64? {
        guard let zone = zone(name) else { return nil }
        let seconds = time.dividedDown(by: 1_000)
        // 1970 began on a Thursday, so three days are added.
        let minute = ((seconds + zone.offset(at: seconds)).dividedDown(by: 60) + 3 * 1_440) % week
        return minute < 0 ? minute + week : minute
    }

    static func zone(_ name: String) -> ZoneFile? {
        guard isName(name) else { return nil }
        return zones.withLock { known in
            if let zone = known[name] { return zone }
            if known.count >= zonesMax { known = [:] }
            let zone = FileManager.default.contents(atPath: folder + name).flatMap { ZoneFile(Array($0)) }
            known[name] = .some(zone)
            return zone
        }
    }

    /// True for a name such as `America/Port-au-Prince`, which cannot lead out of the folder.
    private static func isName(_ name: String) -> Bool {
        guard (1...nameBytesMax).contains(name.utf8.count) else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            part.first?.isLetter == true
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}
