import CausewayTLS
import Testing

@Suite
struct DigestTests {
    /// FIPS 180-2, appendix B, and the empty text.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256IsRight(text: String, expected: String) {
        let digits = Array("0123456789abcdef")
        let digest = Digest.sha256(text.utf8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        #expect(String(digest) == expected)
    }

    @Test func equalityIsRight() {
        #expect(Digest.constantTimeEqual([], []))
        #expect(Digest.constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!Digest.constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!Digest.constantTimeEqual([1, 2, 3], [1, 2]))
    }

    @Test func randomBytesDoNotRepeat() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count == 1000)
    }
}
