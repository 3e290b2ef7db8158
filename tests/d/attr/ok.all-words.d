/* Every stability and class is known. */
#pragma D attributes Internal/Private/Unknown a
#pragma D attributes Obsolete/External/CPU b
#pragma D attributes Unstable/Evolving/Platform c
#pragma D attributes Stable/Standard/Group d
#pragma D attributes Stable/Stable/ISA e
#pragma D attributes Stable/Stable/Common f
int a, b, c, d, e, f;
BEGIN { trace(a + b + c + d + e + f); }
