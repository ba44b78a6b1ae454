// Wire protocols, written by hand so that the client library's cost is not measured.
#include "hubbench.h"
#define P_(...) sprintf((char*)out,__VA_ARGS__)

// ---------------------------------------------------------------- redis (RESP2). redis: SET+PUBLISH in one write; redis-pub: PUBLISH only
static size_t rd_get(conn *c,uint8_t *out,const char *k){ (void)c; return P_("*2\r\n$3\r\nGET\r\n$%zu\r\n%s\r\n",strlen(k),k); }
static size_t rd_set(conn *c,uint8_t *out,const char *k,uint64_t v){ (void)c; size_t n=P_("*3\r\n$3\r\nSET\r\n$%zu\r\n%s\r\n$16\r\n",strlen(k),k); put_val(out+n,v); memcpy(out+n+16,"\r\n",2); return n+18; }
static size_t rd_ponly(conn *c,uint8_t *out,const char *k,uint64_t v){ (void)c; size_t n=P_("*3\r\n$7\r\nPUBLISH\r\n$%zu\r\n%s\r\n$16\r\n",strlen(k),k); put_val(out+n,v); memcpy(out+n+16,"\r\n",2); return n+18; }
static size_t rd_pub(conn *c,uint8_t *out,const char *k,uint64_t v){ size_t n=rd_set(c,out,k,v); return n+rd_ponly(c,out+n,k,v); }
static ssize_t crlf(const uint8_t *b,size_t n){ const uint8_t *p=memchr(b,'\n',n); return p?p-b+1:0; }
static ssize_t rd_bulk(const uint8_t *b,size_t n,const uint8_t **p,long *len){ ssize_t h=crlf(b,n); if(!h) return 0; if(b[0]==':'){ *len=0; return h; } if(b[0]!='$') return -1; *len=atol((char*)b+1); if(*len<0) return h; if(n<(size_t)h+*len+2) return 0; *p=b+h; return h+*len+2; }
static ssize_t rd_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0;
  while(o<n){ const uint8_t *q=b+o; size_t m=n-o; if(*q=='+'||*q==':'){ ssize_t h=crlf(q,m); if(!h) break; got_reply(c); o+=h; }
    else if(*q=='$'){ const uint8_t *p; long l; ssize_t h=rd_bulk(q,m,&p,&l); if(h<=0) break; got_reply(c); o+=h; }
    else if(*q=='*'){ ssize_t h=crlf(q,m); if(!h) break; int cnt=atoi((char*)q+1); size_t u=h; const uint8_t *p[3]={0}; long l[3]={0}; int i; for(i=0;i<cnt&&i<3;i++){ ssize_t e=rd_bulk(q+u,m-u,&p[i],&l[i]); if(e<0) return -1; if(e==0) break; u+=e; } if(i<cnt) break;
      if(l[0]==7&&p[0][0]=='m') got_value(c,p[2],l[2]); else got_reply(c); o+=u; }
    else { fprintf(stderr,"redis: %.60s\n",q); return -1; } } return o; }
static int rd_dial(conn *c,const char *a){ if((c->fd=dial_addr(a))<0) return -1; uint64_t w=c->nrep+1; if(send_all(c->fd,"PING\r\n",6)) return -1; int r=await(c,w); return r; }
static int rd_sub(conn *c,const char *k){ char b[200]; int n=snprintf(b,200,"*2\r\n$9\r\nSUBSCRIBE\r\n$%zu\r\n%s\r\n",strlen(k),k); uint64_t w=c->nrep+1; return send_all(c->fd,b,n)||await(c,w); }
static const driver d_redis={"redis",0,rd_dial,rd_sub,rd_pub,rd_get,rd_set,rd_parse,0};
static const driver d_redispub={"redis-pub",0,rd_dial,rd_sub,rd_ponly,rd_get,rd_set,rd_parse,0};

// ---------------------------------------------------------------- MQTT 3.1.1. publish = retained QoS0; set = retained QoS1 -> PUBACK; get = SUBSCRIBE -> retained PUBLISH
static size_t mq_pubq(conn *c,uint8_t *out,const char *k,uint64_t v,int q){ size_t kl=strlen(k),n=0; out[n++]=0x31|(q<<1); out[n++]=2+kl+(q?2:0)+16; out[n++]=0; out[n++]=kl; memcpy(out+n,k,kl); n+=kl; if(q){ if(!(++c->serial&0xffff)) c->serial++; out[n++]=c->serial>>8; out[n++]=c->serial; } put_val(out+n,v); return n+16; }
static size_t mq_pub(conn *c,uint8_t *out,const char *k,uint64_t v){ return mq_pubq(c,out,k,v,0); }
static size_t mq_set(conn *c,uint8_t *out,const char *k,uint64_t v){ return mq_pubq(c,out,k,v,1); }
static size_t mq_subq(conn *c,uint8_t *out,const char *k){ size_t kl=strlen(k),n=0; if(!(++c->serial&0xffff)) c->serial++; out[n++]=0x82; out[n++]=2+2+kl+1; out[n++]=c->serial>>8; out[n++]=c->serial; out[n++]=0; out[n++]=kl; memcpy(out+n,k,kl); n+=kl; out[n++]=0; return n; }
static size_t mq_get(conn *c,uint8_t *out,const char *k){ c->flags|=1; return mq_subq(c,out,k); }
static ssize_t mq_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0; while(n-o>=2){ size_t l=0,i=1,sh=0; int done=0; while(o+i<n&&i<5){ uint8_t x=b[o+i++]; l|=(size_t)(x&127)<<sh; sh+=7; if(!(x&128)){ done=1; break; } } if(!done||n-o<i+l) break; const uint8_t *p=b+o+i;
    switch(b[o]>>4){ case 2: if(p[1]) return -1; got_reply(c); break; case 9: if(p[2]==0x80) return -1; if(!(c->flags&1)) got_reply(c); break; case 4: got_reply(c); break; case 3: { size_t t=2+(p[0]<<8|p[1])+((b[o]&6)?2:0); if((c->flags&1)){ if(b[o]&1) got_reply(c); } else got_value(c,p+t,l-t); } } o+=i+l; } return o; }
static int mq_dial(conn *c,const char *a){ if((c->fd=dial_addr(a))<0) return -1; static _Atomic int id; uint8_t b[64]; char cid[24]; int cl=snprintf(cid,24,"h%d-%d",(int)syscall(SYS_gettid),atomic_fetch_add(&id,1)); int n=0; b[n++]=0x10; b[n++]=10+2+cl; memcpy(b+n,"\0\4MQTT\4\2\0\0",10); n+=10; b[n++]=0; b[n++]=cl; memcpy(b+n,cid,cl); n+=cl; uint64_t w=c->nrep+1; return send_all(c->fd,b,n)||await(c,w); }
static int mq_sub(conn *c,const char *k){ uint8_t b[64]; uint64_t w=c->nrep+1; size_t n=mq_subq(c,b,k); return send_all(c->fd,b,n)||await(c,w); }
static const driver d_mqtt={"mqtt",0,mq_dial,mq_sub,mq_pub,mq_get,mq_set,mq_parse,0};

// ---------------------------------------------------------------- NATS. nats: core pub/sub; nats-kv: subject of a JetStream KV bucket (memory, 1 value per key), core subscribers, get = DIRECT.GET, set = acked publish
static size_t na_subj(conn *c,char *s,const char *k){ return sprintf(s,"%s%s",strcmp(c->d->name,"nats-kv")?"":"$KV.b.",k); }
static size_t na_pub(conn *c,uint8_t *out,const char *k,uint64_t v){ char s[128]; na_subj(c,s,k); size_t n=P_("PUB %s 16\r\n",s); put_val(out+n,v); memcpy(out+n+16,"\r\n",2); return n+18; }
static size_t na_set(conn *c,uint8_t *out,const char *k,uint64_t v){ (void)c; size_t n=P_("PUB $KV.b.%s _INBOX.%d.%d 16\r\n",k,getpid(),c->fd); put_val(out+n,v); memcpy(out+n+16,"\r\n",2); return n+18; }
static size_t na_get(conn *c,uint8_t *out,const char *k){ (void)c; return P_("PUB $JS.API.DIRECT.GET.KV_b.$KV.b.%s _INBOX.%d.%d 0\r\n\r\n",k,getpid(),c->fd); }
static size_t na_ping(conn *c,uint8_t *out,const char *k){ (void)c;(void)k; return P_("PING\r\n"); }
static ssize_t na_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0; while(o<n){ const uint8_t *q=b+o; ssize_t h=crlf(q,n-o); if(!h) break;
    if(*q=='M'||*q=='H'){ const uint8_t *e=q+h-2; while(e>q&&e[-1]!=' ') e--; size_t l=atol((char*)e); if(n-o<h+l+2) break; int off=*q=='H'?5:4; if(!memcmp(q+off,"_INBOX",6)){ if(memmem(q+h,l,"\"error\"",7)||memmem(q+h,l,"NATS/1.0 4",10)||memmem(q+h,l,"NATS/1.0 5",10)){ fprintf(stderr,"nats: %.*s\n",(int)l,q+h); return -1; } got_reply(c); } else got_value(c,q+h,l); o+=h+l+2; }
    else { if(!memcmp(q,"PONG",4)) got_reply(c); else if(*q=='-'){ fprintf(stderr,"nats: %.*s\n",(int)h,q); return -1; } o+=h; } } return o; }
static int na_dial(conn *c,const char *a){ if((c->fd=dial_addr(a))<0) return -1; char b[256]; int n=snprintf(b,256,"CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,\"name\":\"b\",\"lang\":\"c\",\"version\":\"1\",\"protocol\":1}\r\nSUB _INBOX.%d.%d 9\r\nPING\r\n",getpid(),c->fd); uint64_t w=c->nrep+1; return send_all(c->fd,b,n)||await(c,w); }
static int na_sub(conn *c,const char *k){ char s[128],b[200]; na_subj(c,s,k); int n=snprintf(b,200,"SUB %s 1\r\nPING\r\n",s); uint64_t w=c->nrep+1; return send_all(c->fd,b,n)||await(c,w); }
static pid_t na_prepare(const char *addr,const char *k){ (void)k; extern const driver d_natskv; conn c={.d=&d_natskv,.fd=-1}; if(na_dial(&c,addr)) die("nats prepare"); char b[700],js[400]; int l=snprintf(js,400,"{\"name\":\"KV_b\",\"subjects\":[\"$KV.b.>\"],\"retention\":\"limits\",\"max_consumers\":-1,\"max_msgs_per_subject\":1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"storage\":\"memory\",\"discard\":\"new\",\"num_replicas\":1,\"allow_rollup_hdrs\":true,\"deny_delete\":true,\"allow_direct\":true}"); int n=snprintf(b,700,"PUB $JS.API.STREAM.CREATE.KV_b _INBOX.%d.%d %d\r\n%s\r\n",getpid(),c.fd,l,js); uint64_t w=c.nrep+1; if(send_all(c.fd,b,n)||await(&c,w)) die("nats: stream"); close(c.fd); return 0; }
const driver d_nats={"nats",0,na_dial,na_sub,na_pub,na_ping,na_set,na_parse,0};
const driver d_natskv={"nats-kv",0,na_dial,na_sub,na_pub,na_get,na_set,na_parse,na_prepare};

// ---------------------------------------------------------------- D-Bus. publish = PropertiesChanged broadcast; get/set = Properties.Get/Set routed to a service process
typedef struct { uint8_t *b; size_t n; } mb;
static void al(mb *m,int a){ while(m->n%a) m->b[m->n++]=0; }
static void w4(mb *m,uint32_t v){ al(m,4); memcpy(m->b+m->n,&v,4); m->n+=4; }
static void ws(mb *m,const char *s){ uint32_t l=strlen(s); w4(m,l); memcpy(m->b+m->n,s,l+1); m->n+=l+1; }
static void wg(mb *m,const char *s){ uint8_t l=strlen(s); m->b[m->n++]=l; memcpy(m->b+m->n,s,l+1); m->n+=l+1; }
static void fs(mb *m,int code,const char *t,const char *s){ if(!s) return; al(m,8); m->b[m->n++]=code; wg(m,t); if(*t=='g') wg(m,s); else ws(m,s); }
static void db_hdr(mb *m,int type,int flags,uint32_t serial,const char *path,const char *iface,const char *member,const char *dest,const char *sig,uint32_t rserial){
  m->n=0; m->b[0]='l'; m->b[1]=type; m->b[2]=flags; m->b[3]=1; m->n=4; w4(m,0); w4(m,serial); w4(m,0);
  fs(m,1,"o",path); fs(m,2,"s",iface); fs(m,3,"s",member); fs(m,6,"s",dest); fs(m,8,"g",sig); if(rserial){ al(m,8); m->b[m->n++]=5; wg(m,"u"); w4(m,rserial); }
  uint32_t l=m->n-16; memcpy(m->b+12,&l,4); al(m,8); }
static size_t db_end(mb *m,size_t body){ uint32_t l=m->n-body; memcpy(m->b+4,&l,4); return m->n; }
static void wv16(mb *m,uint64_t k){ wg(m,"s"); w4(m,16); put_val(m->b+m->n,k); m->n+=16; m->b[m->n++]=0; }
#define PI "org.freedesktop.DBus.Properties"
#define DB "org.freedesktop.DBus"
static void kpath(char *p,const char *k){ sprintf(p,"/%s",k); }
static size_t db_pub(conn *c,uint8_t *out,const char *k,uint64_t v){ mb m={out,0}; char p[64]; kpath(p,k); db_hdr(&m,4,1,++c->serial,p,PI,"PropertiesChanged",0,"sa{sv}as",0); size_t b=m.n; ws(&m,"hub.Store"); w4(&m,0); size_t lp=m.n-4; al(&m,8); size_t s=m.n; ws(&m,"Value"); wv16(&m,v); uint32_t l=m.n-s; memcpy(out+lp,&l,4); w4(&m,0); return db_end(&m,b); }
static size_t db_get(conn *c,uint8_t *out,const char *k){ mb m={out,0}; char p[64]; kpath(p,k); db_hdr(&m,1,0,++c->serial,p,PI,"Get","hub.Svc","ss",0); size_t b=m.n; ws(&m,"hub.Store"); ws(&m,"Value"); return db_end(&m,b); }
static size_t db_set(conn *c,uint8_t *out,const char *k,uint64_t v){ mb m={out,0}; char p[64]; kpath(p,k); db_hdr(&m,1,0,++c->serial,p,PI,"Set","hub.Svc","ssv",0); size_t b=m.n; ws(&m,"hub.Store"); ws(&m,"Value"); wv16(&m,v); return db_end(&m,b); }
static ssize_t db_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0; while(n-o>=16){ const uint8_t *q=b+o; uint32_t bl,fl; memcpy(&bl,q+4,4); memcpy(&fl,q+12,4); size_t ho=16+((fl+7)&~7u); if(n-o<ho+bl) break; const uint8_t *body=q+ho;
    if(q[1]==2) got_reply(c); else if(q[1]==3){ fprintf(stderr,"dbus error: %.*s\n",(int)(bl>4?bl-4:0),body+4); return -1; } else if(q[1]==4&&bl==68&&!memcmp(body+4,"hub.Store",9)) got_value(c,body+44,16); o+=ho+bl; } return o; }
static int db_call(conn *c,const char *member,const char *arg,int withu){ uint8_t b[600]; mb m={b,0}; db_hdr(&m,1,0,++c->serial,"/org/freedesktop/DBus",DB,member,DB,arg?(withu?"su":"s"):0,0); size_t bo=m.n; if(arg) ws(&m,arg); if(withu) w4(&m,4); size_t n=db_end(&m,bo); uint64_t w=c->nrep+1; return send_all(c->fd,b,n)||await(c,w); }
static int db_dial(conn *c,const char *a){ if((c->fd=dial_addr(a))<0) return -1; char u[16],h[40]="",b[128]; snprintf(u,16,"%d",getuid()); for(char *p=u;*p;p++) sprintf(h+strlen(h),"%02x",*p); int n=sprintf(b+1,"AUTH EXTERNAL %s\r\n",h)+1; b[0]=0; if(send_all(c->fd,b,n)) return -1;
  size_t g=0; while(g<sizeof b){ ssize_t r=recv(c->fd,b+g,sizeof b-g,0); if(r<=0) return -1; g+=r; if(memchr(b,'\n',g)) break; } if(memcmp(b,"OK",2)) return -1; if(send_all(c->fd,"BEGIN\r\n",7)) return -1; return db_call(c,"Hello",0,0); }
static int db_sub(conn *c,const char *k){ char r[256]; snprintf(r,256,"type='signal',interface='" PI "',member='PropertiesChanged',path='/%s'",k); return db_call(c,"AddMatch",r,0); }
static char DV[16]="0000000000000000";
static ssize_t dbs_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0; static uint8_t ob[1<<18]; size_t on=0; while(n-o>=16){ const uint8_t *q=b+o; uint32_t bl,fl,ser; memcpy(&bl,q+4,4); memcpy(&ser,q+8,4); memcpy(&fl,q+12,4); size_t ho=16+((fl+7)&~7u); if(n-o<ho+bl) break; const uint8_t *body=q+ho;
    if(q[1]==2) got_reply(c); else if(q[1]==1){ const char *snd=0,*mem=0; size_t i=16; while(i<16+fl){ i=(i+7)&~7ul; int code=q[i]; int t=q[i+2]; size_t v=i+4; if(t=='g'){ i=v+1+q[v]+1; continue; } v=(v+3)&~3ul; if(t=='u'){ i=v+4; continue; } uint32_t l; memcpy(&l,q+v,4); if(code==7) snd=(char*)q+v+4; if(code==3) mem=(char*)q+v+4; i=v+4+l+1; }
      mb m={ob+on,0}; if(mem&&!strcmp(mem,"Get")){ db_hdr(&m,2,1,++c->serial,0,0,0,snd,"v",ser); size_t bo=m.n; wg(&m,"s"); w4(&m,16); memcpy(m.b+m.n,DV,16); m.n+=16; m.b[m.n++]=0; on+=db_end(&m,bo); }
      else if(mem){ if(!strcmp(mem,"Set")) { memcpy(DV,body+bl-17,16); } db_hdr(&m,2,1,++c->serial,0,0,0,snd,0,ser); on+=db_end(&m,m.n); }
      if(on>sizeof ob-1024){ send_all(c->fd,ob,on); on=0; } } o+=ho+bl; } if(on) send_all(c->fd,ob,on); return o; }
static const driver d_dbussvc={"dbus-svc",0,db_dial,db_sub,db_pub,db_get,db_set,dbs_parse,0};
static pid_t db_prepare(const char *addr,const char *k){ (void)k; int pf[2]; if(pipe(pf)) die("pipe"); pid_t p=fork(); if(!p){ prctl(PR_SET_PDEATHSIG,SIGKILL); conn c={.d=&d_dbussvc,.fd=-1}; if(db_dial(&c,addr)||db_call(&c,"RequestName","hub.Svc",1)) die("dbus service"); if(write(pf[1],"x",1)!=1) _exit(1); while(pump(&c,0)>0){} _exit(0); } char x; close(pf[1]); if(read(pf[0],&x,1)!=1) die("dbus service did not start"); close(pf[0]); return p; }
static const driver d_dbus={"dbus",0,db_dial,db_sub,db_pub,db_get,db_set,db_parse,db_prepare};

// ---------------------------------------------------------------- etcd v3 JSON gateway over HTTP/1.1 (get/set, and watch as a chunked stream)
static const char B6[]="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static void b64(char *o,const uint8_t *s,size_t n){ size_t i; for(i=0;i<n;i+=3){ uint32_t v=s[i]<<16|(i+1<n?s[i+1]<<8:0)|(i+2<n?s[i+2]:0); *o++=B6[v>>18]; *o++=B6[v>>12&63]; *o++=i+1<n?B6[v>>6&63]:'='; *o++=i+2<n?B6[v&63]:'='; } *o=0; }
static size_t et_req(uint8_t *out,const char *path,const char *body){ return P_("POST %s HTTP/1.1\r\nHost: l\r\nContent-Length: %zu\r\n\r\n%s",path,strlen(body),body); }
static size_t et_get(conn *c,uint8_t *out,const char *k){ (void)c; char kb[64],b[200]; b64(kb,(void*)k,strlen(k)); sprintf(b,"{\"key\":\"%s\"}",kb); return et_req(out,"/v3/kv/range",b); }
static size_t et_set(conn *c,uint8_t *out,const char *k,uint64_t v){ (void)c; char kb[64],vb[40],b[200]; uint8_t x[16]; put_val(x,v); b64(kb,(void*)k,strlen(k)); b64(vb,x,16); sprintf(b,"{\"key\":\"%s\",\"value\":\"%s\"}",kb,vb); return et_req(out,"/v3/kv/put",b); }
static int b6i(int c){ const char *p=strchr(B6,c); return p?p-B6:0; }
static ssize_t et_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0; while(o<n){ const char *q=(char*)b+o; size_t m=n-o;
    if(c->flags&1){ const char *nl=memchr(q,'\n',m); if(!nl) break; size_t l=nl-q+1; if(memmem(q,l,"\"created\":true",14)) got_reply(c); const char *p=q; while((p=memmem(p,l-(p-q),"\"value\":\"",9))){ p+=9; uint8_t v[18]; for(int i=0;i<6;i++){ uint32_t w=b6i(p[i*4])<<18|b6i(p[i*4+1])<<12|(p[i*4+2]=='='?0:b6i(p[i*4+2])<<6)|(p[i*4+3]=='='?0:b6i(p[i*4+3])); v[i*3]=w>>16; v[i*3+1]=w>>8; v[i*3+2]=w; } got_value(c,v,16); } o+=l; continue; }
    const char *e=memmem(q,m,"\r\n\r\n",4); if(!e) break; const char *cl=memmem(q,e-q,"Content-Length: ",16); if(!cl||memcmp(q+9,"200",3)){ fprintf(stderr,"etcd: %.300s\n",q); return -1; } size_t l=atol(cl+16),t=e-q+4+l; if(m<t) break; got_reply(c); o+=t; } return o; }
static int et_dial(conn *c,const char *a){ return (c->fd=dial_addr(a))<0?-1:0; }
static int et_sub(conn *c,const char *k){ c->flags|=1; char kb[64],b[200]; uint8_t o[600]; b64(kb,(void*)k,strlen(k)); sprintf(b,"{\"create_request\":{\"key\":\"%s\"}}",kb); size_t n=et_req(o,"/v3/watch",b); uint64_t w=c->nrep+1; return send_all(c->fd,o,n)||await(c,w); }
static const driver d_etcd={"etcd",CAP_READYGET,et_dial,et_sub,et_set,et_get,et_set,et_parse,0};

// ---------------------------------------------------------------- uds: the minimal C broker udsbroker.c. frame = op, len, payload
static size_t ud_fr(uint8_t *out,char op,const void *p,size_t n){ out[0]=op; out[1]=n; memcpy(out+2,p,n); return n+2; }
static size_t ud_val(uint8_t *out,char op,uint64_t v){ out[0]=op; out[1]=16; put_val(out+2,v); return 18; }
static size_t ud_pub(conn *c,uint8_t *out,const char *k,uint64_t v){ (void)c;(void)k; return ud_val(out,'P',v); }
static size_t ud_set(conn *c,uint8_t *out,const char *k,uint64_t v){ (void)c;(void)k; return ud_val(out,'S',v); }
static size_t ud_get(conn *c,uint8_t *out,const char *k){ (void)c; return ud_fr(out,'G',k,strlen(k)); }
static ssize_t ud_parse(conn *c,const uint8_t *b,size_t n){ size_t o=0; while(n-o>=2&&n-o>=2u+b[o+1]){ if(b[o]=='v') got_value(c,b+o+2,b[o+1]); else got_reply(c); o+=2+b[o+1]; } return o; }
static int ud_dial(conn *c,const char *a){ if((c->fd=dial_addr(a))<0) return -1; uint8_t b[40]; uint64_t w=c->nrep+1; return send_all(c->fd,b,ud_get(c,b,"k1"))||await(c,w); }
static int ud_sub(conn *c,const char *k){ uint8_t b[40]; uint64_t w=c->nrep+1; return send_all(c->fd,b,ud_fr(b,'W',k,strlen(k)))||await(c,w); }
static const driver d_uds={"uds",0,ud_dial,ud_sub,ud_pub,ud_get,ud_set,ud_parse,0};


// ---- statehub: docs/protocol.md
#include "statehub.h"

static const driver d_shm={"shm-futex",CAP_SHM,0,0,0,0,0,0,0};
const driver *all_drivers[]={&d_redis,&d_redispub,&d_mqtt,&d_nats,&d_natskv,&d_dbus,&d_etcd,&d_uds,&d_statehub,&d_statehub_every,&d_shm,0};
