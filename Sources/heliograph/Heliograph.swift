@main
struct Heliograph {
    static func main() {}
}
