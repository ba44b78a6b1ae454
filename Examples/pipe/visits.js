#!/usr/bin/env node
// Counts a visit, and follows the count up to three: statectl pipe in Node.
const { spawn } = require("node:child_process");
const hub = spawn("statectl", ["pipe"], { stdio: ["pipe", "pipe", "inherit"] });
const ask = (request) => hub.stdin.write(JSON.stringify(request) + "\n");

ask({ id: "create", op: "create", name: "visits", type: "integer", initial: 0 });
ask({ id: "visits", op: "watch", names: ["visits"], every: true });
ask({ id: "add", op: "add", name: "visits" });
require("node:readline").createInterface({ input: hub.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.error) throw new Error(message.error.message);
  if (message.id === "add") console.log("visitor", message.value);
  if (message.kind === "changed") console.log("visits", message.value);
  if (message.kind === "changed" && message.value >= 3) hub.stdin.end();
});
