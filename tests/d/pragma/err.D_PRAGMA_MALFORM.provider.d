#pragma D attributes Stable/Stable/Common provider t nothing
