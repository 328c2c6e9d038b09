// push-bench apns|web HOST:PORT AUTHORITY-FILE KEY-FILE PAYLOAD-FILE COUNT: sends so many pushes over one connection as fast as their
// answers come, and prints `{"accepted":…,"seconds":…}`. Started by Tests/Tools/bench/push_rate.py.

import Foundation

let arguments = CommandLine.arguments
let address = arguments.count == 7 ? arguments[2].split(separator: ":") : []
guard address.count == 2, let port = UInt16(address[1]), let count = Int(arguments[6]) else {
    FileHandle.standardError.write(
        Data("usage: push-bench apns|web HOST:PORT AUTHORITY-FILE KEY-FILE PAYLOAD-FILE COUNT\n".utf8))
    exit(64)
}
let payload = try Array(Data(contentsOf: URL(filePath: arguments[5])))
let place = Place(host: String(address[0]), port: port, authorityFile: arguments[3], keyFile: arguments[4])
let pushes: any Pushes =
    switch arguments[1] {
    case "apns": try APNsPushes(to: place, payload)
    default: try WebPushes(to: place, payload)
    }
// Connection and token are set up before the measurement.
_ = Run(pushes, count: 1_000).run()
let start = ContinuousClock.now
let (accepted, trouble) = Run(pushes, count: count).run()
let seconds = start.duration(to: .now) / .seconds(1)
if let trouble { FileHandle.standardError.write(Data("push-bench: \(trouble)\n".utf8)) }
print(#"{"accepted":\#(accepted),"seconds":\#(seconds)}"#)
