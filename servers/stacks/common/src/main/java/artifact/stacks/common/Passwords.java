package artifact.stacks.common;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Password hashes: PBKDF2 with HMAC-SHA256, stored as {@code salt.hash} in Base64. */
final class Passwords {

    /** About 2 ms of CPU time: long compared with a query, and far fewer rounds than a real service should take. */
    private static final int ROUNDS = 10_000;

    private static final int HASH_BITS = 256;

    private Passwords() {}

    static String hash(String password, byte[] salt) {
        Base64.Encoder text = Base64.getEncoder();
        return text.encodeToString(salt) + "." + text.encodeToString(derive(password, salt));
    }

    static boolean matches(String password, String stored) {
        String[] parts = stored.split("\\.");
        Base64.Decoder bytes = Base64.getDecoder();
        return MessageDigest.isEqual(bytes.decode(parts[1]), derive(password, bytes.decode(parts[0])));
    }

    private static byte[] derive(String password, byte[] salt) {
        try {
            PBEKeySpec key = new PBEKeySpec(password.toCharArray(), salt, ROUNDS, HASH_BITS);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(key)
                    .getEncoded();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
