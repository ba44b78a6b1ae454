#!/usr/bin/env node
// Counts a visit, and follows the count up to three: statectl pipe in Node.
const { spawn } = require("node:child_process");
const hub = spawn("statectl", ["pipe"], { stdio: ["pipe", "pipe", "inherit"] });

// The hub's integers have 64 bits, JavaScript's numbers 53: what is longer is a BigInt, in both directions.
const word = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const tagged = (text) => (text[0] === '"' || Number.isSafeInteger(+text) ? text : `"\\u0000int ${text}"`);
const untag = (_, item) => (/^\0int -?\d+$/.test(item) ? BigInt(item.slice(5)) : item);
const read = (line) => JSON.parse(line.replace(word, tagged), untag);
const tag = (_, item) => (typeof item === "bigint" ? `\0int ${item}` : item);
const write = (request) => JSON.stringify(request, tag).replace(/"\\u0000int (-?\d+)"/g, "$1");
const ask = (request) => hub.stdin.write(write(request) + "\n");

ask({ id: "create", op: "create", name: "visits", type: "integer", initial: 0 });
ask({ id: "visits", op: "watch", names: ["visits"], every: true });
ask({ id: "add", op: "add", name: "visits" });
require("node:readline").createInterface({ input: hub.stdout }).on("line", (line) => {
  const message = read(line);
  if (message.error) throw new Error(message.error.message);
  if (message.id === "add") console.log("visitor", String(message.value));
  if (message.kind === "changed") console.log("visits", String(message.value));
  if (message.kind === "changed" && message.value >= 3) hub.stdin.end();
});
