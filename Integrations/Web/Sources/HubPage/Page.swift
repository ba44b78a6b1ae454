// The page itself: HTML that follows the events.

func page(showing store: String) -> String {
  """
  <!doctype html>
  <html lang="en">
  <meta charset="utf-8"><title>\(store)</title>
  <style>
    body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh; text-align: center; }
    output { font-size: 96px; font-variant-numeric: tabular-nums; transition: opacity .2s; }
    .away output { opacity: .3; }
    #note { color: #777; min-height: 1.5em; }
  </style>
  <body>
  <h1>\(store)</h1>
  <output id="value">…</output>
  <div id="note"></div>
  <script>
    const value = document.getElementById("value"), note = document.getElementById("note")
    const events = new EventSource("events")
    const say = (text, isAway) => { note.textContent = text; document.body.classList.toggle("away", isAway) }
    events.onmessage = event => { value.textContent = event.data; say(`revision ${event.lastEventId}`, false) }
    events.addEventListener("removed", () => { value.textContent = "–"; say("not set", false) })
    events.addEventListener("away", event => say(event.data, true))
    events.addEventListener("back", () => say("", false))
    events.onerror = () => say("the server is away", true)
  </script>
  """
}
