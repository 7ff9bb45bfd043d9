// Search without a server: browsers start no Worker for a page that was opened from a file.
// This runs the worker's script in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.waiting = []
      const start = () => {
        document.body.appendChild(frame)
        const inside = frame.contentWindow
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
        const script = frame.contentDocument.createElement("script")
        script.src = new URL(url, document.baseURI)
        script.onload = () => {
          this.inside = inside
          this.waiting.forEach(data => this.postMessage(data))
        }
        frame.contentDocument.body.appendChild(script)
      }
      document.body ? start() : addEventListener("DOMContentLoaded", start)
    }
    postMessage(data) {
      this.inside
        ? this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
        : this.waiting.push(data)
    }
    terminate() {}
  }
}
