//! Signals that ask a run to end while it writes files: the file that is being written is finished, so that none is
//! left over beside it, and those after it are left as they are.

#[cfg(unix)]
pub(super) use on_unix::{Writing, end};

#[cfg(not(unix))]
pub(super) use elsewhere::{Writing, end};

#[cfg(unix)]
mod on_unix {
    use std::sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    };

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        flag, low_level,
    };

    /// What the handlers know.
    #[derive(Default)]
    struct State {
        /// The signal that came last; 0 if none came.
        signal: Arc<AtomicUsize>,
        /// Whether a signal ends the process at once.
        at_once: Arc<AtomicBool>,
    }

    static STATE: OnceLock<State> = OnceLock::new();

    /// As long as files are written.
    pub(crate) struct Writing(());

    impl Writing {
        /// From now on a signal waits.
        pub(crate) fn begin() -> Self {
            let state = STATE.get_or_init(|| {
                let state = State::default();
                for signal in [SIGHUP, SIGINT, SIGTERM] {
                    // Where one cannot be registered, it ends the process as ever.
                    let _ = flag::register_conditional_default(signal, Arc::clone(&state.at_once));
                    let number = usize::try_from(signal).unwrap_or_default();
                    let _ = flag::register_usize(signal, Arc::clone(&state.signal), number);
                }
                state
            });
            state.at_once.store(false, Ordering::SeqCst);
            Self(())
        }

        /// Whether a signal came.
        pub(crate) fn is_interrupted() -> bool {
            STATE.get().is_some_and(|it| it.signal.load(Ordering::SeqCst) != 0)
        }
    }

    impl Drop for Writing {
        fn drop(&mut self) {
            if let Some(state) = STATE.get().filter(|it| it.signal.load(Ordering::SeqCst) == 0) {
                state.at_once.store(true, Ordering::SeqCst);
            }
        }
    }

    /// Ends the process as the signal that came would have, if one came: who sent it sees that.
    pub(crate) fn end() {
        let signal = STATE.get().map_or(0, |it| it.signal.load(Ordering::SeqCst));
        if let Some(signal) = i32::try_from(signal).ok().filter(|it| *it != 0) {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    /// As long as files are written.
    pub(crate) struct Writing;

    impl Writing {
        pub(crate) fn begin() -> Self {
            Self
        }

        pub(crate) fn is_interrupted() -> bool {
            false
        }
    }

    pub(crate) fn end() {}
}
