/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net.d - types and numbers for inet_ntop(), inet_ntoa6(), link_ntop() of a Linux guest. */
typedef unsigned int ipaddr_t;
typedef struct in6_addr in6_addr_t;
inline int AF_INET = 2;
inline int AF_INET6 = 10;
inline int ARPHRD_ETHER = 1;
inline int ARPHRD_INFINIBAND = 32;
