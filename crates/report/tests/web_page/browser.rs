//! A headless browser, controlled with the DevTools protocol.
//!
//! Messages are JSON, terminated by a zero byte, over two pipes that are file descriptors 3 and 4
//! of the browser. A shell opens them from named pipes, so that no code runs between fork and exec.
//! Every error on the page is an event: exceptions, errors on the console, and what the page's
//! policy forbids.

use std::cell::{Cell, RefCell};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Time limit for a response, generous enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one empty page.
pub struct Browser {
    child: Child,
    commands: RefCell<File>,
    messages: Receiver<Value>,
    session: String,
    folder: PathBuf,
    next: Cell<u64>,
    /// Number of loaded pages.
    loads: Cell<u64>,
    /// Errors on the page so far.
    troubles: RefCell<Vec<String>>,
}

/// The command that starts a browser, if there is one.
fn program() -> Option<String> {
    let named = std::env::var("SWEEPLINE_BROWSER").ok();
    let known = ["chromium", "chromium-browser", "google-chrome"].map(String::from);
    named.into_iter().chain(known).find(|name| {
        let runs = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        runs.is_ok_and(|status| status.success())
    })
}

impl Browser {
    /// Starts a browser; reports if there is none.
    #[allow(clippy::print_stderr, reason = "what is skipped is said")]
    pub fn start(test: &str) -> Option<Self> {
        let Some(program) = program().filter(|_| cfg!(unix)) else {
            eprintln!("skipped: {test}: no browser was found; SWEEPLINE_BROWSER names one");
            return None;
        };
        let folder = std::env::temp_dir().join(format!("sweepline-page-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let (to, from) = (folder.join("to"), folder.join("from"));
        assert!(Command::new("mkfifo").arg(&to).arg(&from).status().unwrap().success());
        let child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<\"$TO\" 4>\"$FROM\"", "sh", &program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars", "about:blank"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .env("TO", &to)
            .env("FROM", &from)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = RefCell::new(OpenOptions::new().write(true).open(&to).unwrap());
        let messages = read_messages(File::open(&from).unwrap());
        let (session, next, loads, troubles) =
            (String::new(), Cell::new(0), Cell::new(0), RefCell::default());
        let mut browser = Self { child, commands, messages, session, folder, next, loads, troubles };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().into();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.size(1200, 900);
        Some(browser)
    }

    /// Sends a command and waits for its result.
    pub fn call(&self, method: &str, parameters: Value) -> Value {
        let id = self.next.get() + 1;
        self.next.set(id);
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let text = message.to_string() + "\0";
        self.commands.borrow_mut().write_all(text.as_bytes()).unwrap();
        let answer = loop {
            let message = self.receive();
            if message["id"] == json!(id) {
                break message;
            }
        };
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    fn receive(&self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
        self.note(&message);
        message
    }

    fn note(&self, message: &Value) {
        let parameters = &message["params"];
        self.loads.set(self.loads.get() + u64::from(message["method"] == "Page.loadEventFired"));
        let is_trouble = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                parameters["type"] == "error" || parameters["type"] == "assert"
            }
            Some("Log.entryAdded") => parameters["entry"]["level"] == "error",
            Some("Page.javascriptDialogOpening") => true,
            _ => false,
        };
        if is_trouble {
            self.troubles.borrow_mut().push(parameters.to_string());
        }
    }

    /// Opens a page from a file, and returns the time until it was loaded.
    pub fn open(&self, html: &str) -> Duration {
        let file = self.folder.join("page.html");
        fs::write(&file, html).unwrap();
        self.open_file(&file)
    }

    /// Opens a file, and returns the time until it was loaded.
    pub fn open_file(&self, file: &Path) -> Duration {
        let (begin, before) = (Instant::now(), self.loads.get());
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while self.loads.get() == before {
            self.receive();
        }
        // After two frames, everything is drawn.
        self.eval(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
        );
        begin.elapsed()
    }

    /// The value of an expression on the page.
    pub fn eval(&self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// The text of the first element that matches a selector.
    pub fn text(&self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({}).textContent", json!(selector)));
        text.as_str().unwrap().into()
    }

    /// Number of elements that match a selector.
    pub fn count(&self, selector: &str) -> u64 {
        self.eval(&format!("document.querySelectorAll({}).length", json!(selector))).as_u64().unwrap()
    }

    /// Clicks the first element that matches a selector.
    pub fn click(&self, selector: &str) {
        self.eval(&format!("document.querySelector({}).click()", json!(selector)));
    }

    /// Focuses an element.
    pub fn focus(&self, selector: &str) {
        self.eval(&format!("document.querySelector({}).focus()", json!(selector)));
    }

    /// Presses a key.
    pub fn key(&self, key: &str) {
        let mut parameters = json!({"type": "keyDown", "key": key});
        if key.chars().count() == 1 {
            parameters["text"] = json!(key);
        }
        self.call("Input.dispatchKeyEvent", parameters);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Enters a text into a field.
    pub fn enter(&self, selector: &str, text: &str) {
        self.focus(selector);
        self.eval(&format!("document.querySelector({}).select()", json!(selector)));
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Changes the size of the page.
    pub fn size(&self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Emulates a media feature, such as `prefers-color-scheme: dark`.
    pub fn prefer(&self, name: &str, value: &str) {
        self.call("Emulation.setEmulatedMedia", json!({"features": [{"name": name, "value": value}]}));
    }

    /// Errors on the page so far.
    pub fn troubles(&self) -> Vec<String> {
        // Pending events arrive before the response.
        self.eval("new Promise(done => setTimeout(() => done(true), 30))");
        self.troubles.borrow().clone()
    }

    /// Asserts that there was no error on the page.
    pub fn assert_no_trouble(&self) {
        let troubles = self.troubles();
        assert!(troubles.is_empty(), "{troubles:#?}");
    }
}

fn read_messages(file: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for text in BufReader::new(file).split(0).map_while(Result::ok) {
            let message = serde_json::from_slice(&text).unwrap_or_default();
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = json!({"id": 0, "method": "Browser.close"}).to_string() + "\0";
        let _ = self.commands.borrow_mut().write_all(close.as_bytes());
        let until = Instant::now() + Duration::from_secs(5);
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > until {
                let _ = self.child.kill();
                let _ = self.child.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}
