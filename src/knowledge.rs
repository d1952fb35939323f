//! What each release does when nobody says otherwise.
