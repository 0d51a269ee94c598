/** Values of `Host` and `X-Forwarded-Host` that do not name a host: as a part of links, they would lead elsewhere. */
export const NO_HOSTS = ['a>b"c', 'evil.example/x?', 'a b', 'a\u00e4', 'user@host', '[::1', 'a:b'];
