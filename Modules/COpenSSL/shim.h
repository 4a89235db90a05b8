// The parts of OpenSSL 3 that Swift cannot import: its macros, as functions of the same name with the prefix
// `causeway_`. No decisions are made here; every choice (versions, suites, flags) is in Modules/TLS.
#pragma once

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "Causeway needs OpenSSL 3 (Debian: libssl-dev)"
#endif

// MARK: Context

static inline int causeway_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline void causeway_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void causeway_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline int causeway_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *groups) {
    return (int)SSL_CTX_set1_groups_list(context, (char *)groups);
}

// The options are `uint64_t` shifts, which Swift does not import.
static inline void causeway_SSL_CTX_forbid_renegotiation_and_compression(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

static inline void causeway_SSL_CTX_prefer_server_ciphers(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
}

// MARK: Connection

static inline int causeway_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, (char *)name);
}

static inline int causeway_SSL_set_app_data(SSL *ssl, void *data) {
    return SSL_set_app_data(ssl, data);
}

static inline void *causeway_SSL_get_app_data(const SSL *ssl) {
    return SSL_get_app_data(ssl);
}

static inline SSL *causeway_X509_STORE_CTX_get_ssl(X509_STORE_CTX *store) {
    return (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
}

// Initialises the cipher and the authentication of a session ticket: AES-256-CBC and HMAC-SHA-256, like OpenSSL's own
// (RFC 5077 §4). Both keys have 32 bytes. Returns 1, or 0 with the reason in the error queue.
static inline int causeway_ticket_init(
    EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *vector, const unsigned char *cipher_key,
    const unsigned char *mac_key, int is_sealing) {
    OSSL_PARAM params[3];
    params[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)mac_key, 32);
    params[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
    params[2] = OSSL_PARAM_construct_end();
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, cipher_key, vector, is_sealing) == 1
        && EVP_MAC_CTX_set_params(mac, params) == 1;
}

// MARK: Stacks (typed by macros)

static inline int causeway_X509_stack_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}

static inline X509 *causeway_X509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline int causeway_X509_OBJECT_stack_count(const STACK_OF(X509_OBJECT) *stack) {
    return stack == NULL ? 0 : sk_X509_OBJECT_num(stack);
}

// Borrowed; NULL if the object is not a certificate.
static inline X509 *causeway_X509_OBJECT_stack_certificate(const STACK_OF(X509_OBJECT) *stack, int index) {
    return X509_OBJECT_get0_X509(sk_X509_OBJECT_value(stack, index));
}

// MARK: Memory

static inline long causeway_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

// MARK: Keys and certificates

static inline EVP_PKEY *causeway_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

static inline EVP_PKEY *causeway_generate_rsa(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

// The name on one line according to RFC 2253, control and non-ASCII characters escaped.
static inline int causeway_X509_NAME_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253);
}

static inline int causeway_X509_NAME_add_utf8(X509_NAME *name, const char *field, const unsigned char *text, int length) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, text, length, -1, 0);
}

// Adds one extension from OpenSSL's textual form. Returns 1, or 0 with the reason in the error queue.
static inline int causeway_X509_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509V3_set_ctx_nodb(&context);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}
